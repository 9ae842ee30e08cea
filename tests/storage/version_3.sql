BEGIN TRANSACTION;
CREATE TABLE answer (
	project INTEGER NOT NULL, 
	event INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	id INTEGER NOT NULL, 
	sample INTEGER NOT NULL, 
	against INTEGER NOT NULL, 
	verdict TEXT NOT NULL, 
	how TEXT NOT NULL, 
	predicted JSON, 
	CONSTRAINT pk_answer PRIMARY KEY (project, event, place), 
	CONSTRAINT fk_answer_project_event FOREIGN KEY(project, event) REFERENCES event (project, number)
);
INSERT INTO "answer" VALUES(1,0,0,1,3,1,'same','asked','{"same": 0.25, "kind": "check", "aux": 0.5, "if_same": false, "if_different": 7}');
CREATE TABLE array_block (
	project INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	n_rows INTEGER NOT NULL, 
	content BLOB NOT NULL, 
	CONSTRAINT pk_array_block PRIMARY KEY (project, name, number), 
	CONSTRAINT fk_array_block_project FOREIGN KEY(project) REFERENCES project (id)
);
INSERT INTO "array_block" VALUES(1,'features',0,2,X'934E554D5059010076007B276465736372273A20273C6634272C2027666F727472616E5F6F72646572273A2046616C73652C20277368617065273A2028322C2032292C207D202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020200A0000803F000000400000404000008040');
CREATE TABLE event (
	project INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	body JSON NOT NULL, 
	who TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	client_id TEXT, 
	closed INTEGER, 
	CONSTRAINT pk_event PRIMARY KEY (project, number), 
	CONSTRAINT uq_event_project_client_id UNIQUE (project, client_id), 
	CONSTRAINT uq_event_project_closed UNIQUE (project, closed), 
	CONSTRAINT fk_event_project FOREIGN KEY(project) REFERENCES project (id)
);
INSERT INTO "event" VALUES(1,0,'told','{"told": [{"id": 1, "sample": 3, "against": 1, "verdict": "same", "how": "asked", "predicted": {"same": 0.25, "kind": "check", "aux": 0.5, "if_same": false, "if_different": 7}}]}','ann',2.5,'c1',NULL);
INSERT INTO "event" VALUES(1,1,'renamed','{"renamed": 3, "name": "oak \u2013 \u00c4"}','bob',3.5,NULL,NULL);
CREATE TABLE item (
	project INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	shown JSON NOT NULL, 
	status TEXT NOT NULL, copies TEXT, 
	CONSTRAINT pk_item PRIMARY KEY (project, position), 
	CONSTRAINT uq_item_project_key UNIQUE (project, "key"), 
	CONSTRAINT fk_item_project FOREIGN KEY(project) REFERENCES project (id)
);
INSERT INTO "item" VALUES(1,0,'a/oak.jpg','image','d1','{"size": 7}','here','["b/oak.jpg"]');
INSERT INTO "item" VALUES(1,1,'17','row','','{}','here',NULL);
CREATE TABLE likewise_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT likewise_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "likewise_version" VALUES('0003');
CREATE TABLE open_question (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project INTEGER NOT NULL, 
	who TEXT NOT NULL, 
	sample INTEGER NOT NULL, 
	against INTEGER NOT NULL, 
	low INTEGER NOT NULL, 
	high INTEGER NOT NULL, 
	predicted JSON, 
	version INTEGER NOT NULL, 
	until FLOAT NOT NULL, screen JSON, 
	CONSTRAINT uq_open_question_project_who UNIQUE (project, who), 
	CONSTRAINT uq_open_question_project_sample UNIQUE (project, sample), 
	CONSTRAINT uq_open_question_project_low_high UNIQUE (project, low, high), 
	CONSTRAINT fk_open_question_project FOREIGN KEY(project) REFERENCES project (id)
);
INSERT INTO "open_question" VALUES(1,1,'ann',4,1,1,4,NULL,1,9.5,NULL);
CREATE TABLE project (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	settings JSON NOT NULL, 
	created FLOAT NOT NULL, 
	CONSTRAINT pk_project PRIMARY KEY (id), 
	CONSTRAINT uq_project_name UNIQUE (name)
);
INSERT INTO "project" VALUES(1,'leaves','{"k": 3}',1.5);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('open_question',1);
COMMIT;
