// What the pages and the server say to each other, for those who read the code.
// The server's own description is at /api; nothing here runs.

/** @typedef {"same" | "different" | "unsure"} Verdict */

/**
 * A column of a row, and whether the other card differs in it.
 *
 * @typedef {object} Column
 * @property {string} name
 * @property {string} value
 * @property {boolean} differs
 */

/**
 * An item; its kind says whether it has pictures, a text or columns.
 *
 * @typedef {object} Card
 * @property {number} item
 * @property {"image" | "text" | "row"} kind
 * @property {string} title
 * @property {"here" | "changed" | "gone"} status
 * @property {?string} thumb
 * @property {?string} picture
 * @property {?string} text
 * @property {Column[]} columns
 * @property {number} copies how many more have the same content
 */

/**
 * A group at a glance; `id` is one of its items, number and name are for people.
 *
 * @typedef {object} Group
 * @property {number} id
 * @property {number} number
 * @property {string} name
 * @property {number} size
 * @property {number} confirmed
 * @property {Card[]} members
 * @property {?number} probability Where hints are shown.
 */

/**
 * Whether `sample` and `against` belong together.
 *
 * @typedef {object} Question
 * @property {number} id
 * @property {Card} sample
 * @property {Card} against
 * @property {?Group} group What is known of the group of `against`.
 * @property {boolean} picker Whether it is time to show the candidates.
 * @property {?string} why
 * @property {?Verdict} before The answer that was just taken back.
 */

/**
 * Items to look through beside members of a group, the most doubtful first.
 *
 * @typedef {object} Sheet
 * @property {"sheet"} kind
 * @property {number} id
 * @property {"misfits" | "members"} tap Which of them are tapped.
 * @property {boolean} sorts Whether what does not belong may be put elsewhere.
 * @property {Card[]} speakers
 * @property {Card[]} items
 * @property {?Group} group
 * @property {?string} why
 * @property {?{tapped: number[], unsure: number[]}} before What was just taken back.
 */

/**
 * Groups at a glance, some of which may be the same.
 *
 * @typedef {object} Overview
 * @property {"overview"} kind
 * @property {number} id
 * @property {{speaker: Card, more: Card[], number: number, name: string, size: number}[]} groups
 * @property {?number[][]} before What was just taken back: groups by the items that speak.
 */

/**
 * Items of a sheet that belong together elsewhere.
 *
 * @typedef {object} Pile
 * @property {number[]} items
 * @property {?number} group An item of the group, or null for none of those shown.
 * @property {number[]} unlike One item of each group that they are not of.
 */

/**
 * An answer that may have been a slip.
 *
 * @typedef {object} Said
 * @property {number} id
 * @property {Card} sample
 * @property {Card} against
 * @property {"same" | "different"} verdict
 * @property {string} who
 * @property {number} at Seconds since 1970.
 * @property {boolean} last Whether it is of your last act.
 * @property {boolean} may_change
 */

/**
 * Answers that cannot all be right.
 *
 * @typedef {object} Slip
 * @property {number} answer The one that the others deny.
 * @property {Said[]} suspects The likeliest slip first.
 * @property {number} solves Contradictions that would be gone without the first.
 */

/**
 * How far the sorting is; shares are of 1.
 *
 * @typedef {object} Progress
 * @property {number} answers
 * @property {number} groups
 * @property {string} sentence How right the groups should be, and how far it is to go.
 * @property {string} standing How much answers have confirmed.
 * @property {number} right
 * @property {number} settled
 * @property {number} moved
 * @property {number} deferred
 * @property {number} aside
 * @property {boolean} stop
 */

/**
 * Everything that a person sees while answering.
 *
 * @typedef {object} State
 * @property {string} project
 * @property {string} criterion
 * @property {string} about
 * @property {number} n_items
 * @property {number} version How many acts there are, of everybody.
 * @property {"preparing" | "asking" | "waiting" | "settled"} status
 * @property {?{stage: string, done: number, total: number, error: ?string}} preparing
 * @property {?Question} question
 * @property {?(Sheet | Overview)} screen What is asked instead of one question.
 * @property {"all" | "pairs"} screens Whether there are others than pairs.
 * @property {"groups" | "duplicates"} seek What is looked for.
 * @property {?Progress} progress
 * @property {boolean} can_undo
 * @property {number} disagreements
 * @property {?number} disagreement The answer of the last act that denies earlier ones.
 * @property {?Slip} slip What the person is to decide about at once.
 * @property {number} checks
 * @property {number} overlap The share of questions that another reader has answered.
 * @property {boolean} refer Whether what one is not sure of is put to another.
 * @property {boolean} hints
 * @property {?string} owner Whose project it is.
 * @property {"reader" | "reviewer" | "owner"} role What you may do.
 * @property {string} early Of which items the questions are, while all are compared.
 * @property {"owner" | "everybody"} changes Whether all who have the password are reviewers.
 */

/**
 * A page of the groups that a sample may belong to, likeliest first.
 *
 * @typedef {object} Candidates
 * @property {number} question
 * @property {number} page
 * @property {Group[]} groups
 * @property {boolean} has_more
 */

/**
 * Something done at once, as it is kept and sent.
 *
 * @typedef {object} Act
 * @property {string} path
 * @property {{client_id: string}} body The id stays, however often it is sent.
 */

/**
 * What an act amounts to.
 *
 * @typedef {object} Recorded
 * @property {number} same
 * @property {number} different
 * @property {number} taken_back
 */

/**
 * What came of an act; on the question page also the whole `State`.
 *
 * @typedef {object} Reply
 * @property {?string} saved
 * @property {?string} notice
 * @property {?string} welcome What will happen, before the first answer.
 * @property {boolean} can_undo
 * @property {number} [act] Its number, for undoing it.
 * @property {?number} [disagreement] An answer that others contradict from now on.
 * @property {Recorded} [recorded]
 * @property {?number} [stay] An item of the group in which it took place.
 * @property {?{size: number, confirmed: number}} [before] That group before it.
 * @property {?{size: number, confirmed: number}} [after]
 */

/**
 * A part that a group may fall into; the first item speaks for it.
 *
 * @typedef {object} Part
 * @property {number} size
 * @property {number} confirmed
 * @property {Card[]} items
 * @property {boolean[]} is_confirmed
 */

/**
 * The answer that has made one group out of two, and some items on either side.
 *
 * @typedef {object} Fusing
 * @property {number} answer
 * @property {string} who
 * @property {number} at Seconds since 1970.
 * @property {Card[]} pair
 * @property {Card[][]} sides
 * @property {number[]} sizes
 */

/**
 * All items on a sheet, as columns: places from 0 to 4095, and numbers of groups.
 *
 * @typedef {object} Places
 * @property {number} version
 * @property {string} about
 * @property {number} n_items
 * @property {?number[]} items Null where all are shown, in their order.
 * @property {number[]} x
 * @property {number[]} y
 * @property {number[]} group 0 for none.
 * @property {number[]} status Positions in `statuses`.
 * @property {string[]} statuses
 * @property {Group[]} groups
 */

export {};
