// The data of a page (docs/view.md): Base64 of Deflate streams, a line each.
import { byId } from "./base.js";

async function inflated(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The blobs of one element, each inflated. */
async function blobs(id) {
  const lines = byId(`${id}-data`).textContent.split("\n").filter((line) => line !== "");
  return Promise.all(lines.map(inflated));
}

/** Returns a function that reads numbers of 7 bits a byte, lowest first, the last byte of each below 128. */
const numbers = (bytes, at = 0) => () => {
  for (let number = 0, scale = 1; ; scale *= 128) {
    const byte = bytes[at++];
    number += (byte & 127) * scale;
    if (byte < 128) return number;
  }
};

/** The runs of labels: those of row r are entries rows[r] to rows[r + 1] of begin, end and id. */
export async function unpackRuns(head) {
  const [counts, gaps, lengths, ids] = (await blobs("labels")).map((bytes) => numbers(bytes));
  const rows = new Uint32Array(head.height * head.depth + 1);
  for (let r = 1; r < rows.length; ++r) rows[r] = rows[r - 1] + counts();
  const total = rows[rows.length - 1];
  const begin = new Uint32Array(total), end = new Uint32Array(total), id = new Uint32Array(total);
  for (let r = 0, last = 0; r + 1 < rows.length; ++r)
    for (let i = rows[r], x = 0; i < rows[r + 1]; ++i) {
      begin[i] = x + gaps();
      x = end[i] = begin[i] + lengths() + 1;
      const step = ids();
      last = id[i] = last + (step % 2 ? -(step + 1) / 2 : step / 2);
    }
  return { ...head, rows, begin, end, id };
}

/** The channels of the image, a byte a pixel, slice after slice. */
export async function unpackImages(heads) {
  const all = heads.length ? await blobs("image") : [];
  return heads.map((head) => {
    const parts = all.splice(0, head.blobs), { width, height } = head;
    const pixels = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    parts.reduce((at, part) => (pixels.set(part, at), at + part.length), 0);
    for (let i = 0; i < pixels.length; ++i) {
      const x = i % width, left = x > 0 ? pixels[i - 1] : 0, up = i % (width * height) >= width ? pixels[i - width] : 0;
      pixels[i] += (left + up) >> 1;
    }
    return { ...head, pixels };
  });
}

const kArrays = { u32: Uint32Array, i32: Int32Array, f32: Float32Array, f64: Float64Array, u64: BigUint64Array };

/** The columns of the table: the first bytes of all numbers come first, then the second ones. */
export async function unpackColumns(heads, count) {
  const parts = await blobs("table");
  return heads.map((head, c) => {
    const Kind = kArrays[head.type], size = Kind.BYTES_PER_ELEMENT, bytes = new Uint8Array(count * size);
    for (let b = 0; b < size; ++b) for (let i = 0; i < count; ++i) bytes[i * size + b] = parts[c][b * count + i];
    return { ...head, values: new Kind(bytes.buffer) };
  });
}
