// The signs of the map as lists of pixels, which are written faster than drawn.

const SOFT = 0.28; // how much of its colour is inside of a sign that is hollow
const SOLID = 250; // of 255: from here on nothing shines through

const LOOKS = {
  confirmed(pen, radius, { fill, rim }) {
    disc(pen, radius + 1, rim);
    disc(pen, radius, fill);
  },
  guessed(pen, radius, { fill, edge, ground }) {
    disc(pen, radius - pen.lineWidth / 2, ground);
    pen.globalAlpha = SOFT;
    disc(pen, radius - pen.lineWidth / 2, fill);
    pen.globalAlpha = 1;
    pen.strokeStyle = edge;
    pen.stroke();
  },
  deferred(pen, radius, { edge, ground }) {
    const half = radius * 0.85;
    [pen.fillStyle, pen.strokeStyle] = [ground, edge];
    pen.fillRect(-half, -half, 2 * half, 2 * half);
    pen.strokeRect(-half, -half, 2 * half, 2 * half);
  },
  aside(pen, radius, { edge }) {
    const half = radius * 0.8;
    pen.strokeStyle = edge;
    pen.beginPath();
    for (const side of [-1, 1]) {
      pen.moveTo(-half, -half * side);
      pen.lineTo(half, half * side);
    }
    pen.stroke();
  },
};

function disc(pen, radius, colour) {
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 2 * Math.PI);
  pen.fillStyle = colour;
  pen.fill();
}

const pad = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

/** A sign as pixels: places count from its middle, in a picture `width` pixels wide. */
export function cut(status, colours, { radius, line, strength, width }) {
  const half = Math.ceil(radius) + 2;
  const size = 2 * half;
  [pad.canvas.width, pad.canvas.height] = [size, size]; // which also wipes it
  pad.translate(half, half);
  pad.lineWidth = line;
  LOOKS[status](pad, radius, colours);
  fade(pad, half, colours.ground, strength);
  const { data } = pad.getImageData(0, 0, size, size);
  const pixels = Array.from({ length: size * size }, (_, at) => ({
    place: (Math.floor(at / size) - half) * width + (at % size) - half,
    word: packed(...data.slice(4 * at, 4 * at + 3)),
    alpha: data[4 * at + 3],
  }));
  return {
    solid: columns(pixels.filter(({ alpha }) => alpha >= SOLID)),
    soft: columns(pixels.filter(({ alpha }) => alpha > 0 && alpha < SOLID)),
  };
}

/** Let the ground shine through what is drawn, without making it softer. */
function fade(pen, half, ground, strength) {
  pen.globalCompositeOperation = "source-atop";
  pen.globalAlpha = 1 - strength;
  pen.fillStyle = ground;
  pen.fillRect(-half, -half, 2 * half, 2 * half);
}

function columns(pixels) {
  return {
    at: Int32Array.from(pixels, ({ place }) => place),
    word: Uint32Array.from(pixels, ({ word }) => word),
    share: Uint16Array.from(pixels, ({ alpha }) => alpha + (alpha >> 7)), // of 256
  };
}

/** A colour of the page as one number. */
export function wordOf(colour) {
  [pad.canvas.width, pad.canvas.height] = [1, 1];
  pad.fillStyle = colour;
  pad.fillRect(0, 0, 1, 1);
  return packed(...pad.getImageData(0, 0, 1, 1).data.slice(0, 3));
}

// In the order of bytes of all machines that browsers run on.
const packed = (red, green, blue) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** Write a sign into a picture, its middle at the pixel numbered `middle`. */
export function press(words, middle, { solid, soft }) {
  for (let i = 0; i < solid.at.length; i += 1) words[middle + solid.at[i]] = solid.word[i];
  for (let i = 0; i < soft.at.length; i += 1) {
    const place = middle + soft.at[i];
    words[place] = mixed(words[place], soft.word[i], soft.share[i]);
  }
}

// Red and blue in one go: green lies between them, and leaves room.
function mixed(below, above, share) {
  const rest = 256 - share;
  const outer = ((below & 0xff00ff) * rest + (above & 0xff00ff) * share) >>> 8;
  const inner = ((below & 0xff00) * rest + (above & 0xff00) * share) >>> 8;
  return 0xff000000 | (outer & 0xff00ff) | (inner & 0xff00);
}
