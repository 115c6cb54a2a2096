/**
 * QR codes (ISO/IEC 18004) of short texts: byte mode, error correction level M, versions 1 to 6, which hold up to 106 bytes. An address has 45 to 65.
 */

/** For each version: error correction bytes of a block, number of blocks, and data bytes of a block. */
const versions = [
  { ecBytes: 10, blocks: 1, dataBytes: 16 },
  { ecBytes: 16, blocks: 1, dataBytes: 28 },
  { ecBytes: 26, blocks: 1, dataBytes: 44 },
  { ecBytes: 18, blocks: 2, dataBytes: 32 },
  { ecBytes: 24, blocks: 2, dataBytes: 43 },
  { ecBytes: 16, blocks: 4, dataBytes: 27 },
] as const;

type Version = (typeof versions)[number];

/** Rows of modules; true is dark. */
export type Modules = readonly (readonly boolean[])[];

/** The QR code of a text; undefined if the text is too long. */
export function qrCode(text: string): Modules | undefined {
  const bytes = new TextEncoder().encode(text);
  const at = versions.findIndex(({ blocks, dataBytes }) => bytes.length + 2 <= blocks * dataBytes);
  const version = versions[at];
  if (version === undefined) return undefined;
  const size = 21 + 4 * at;
  const frame = drawFrame(size);
  const bits = [...interleave(version, dataOf(version, bytes))].flatMap((byte) => bitsOf(byte, 8));
  const candidates = masks.map((isFlipped, mask) => {
    const modules = frame.map((row) => row.map((module) => module ?? false));
    placeBits(frame, modules, bits, isFlipped);
    placeFormat(modules, mask);
    return modules;
  });
  const penalties = candidates.map(penaltyOf);
  return candidates[penalties.indexOf(Math.min(...penalties))];
}

/** The modules as the `d` of an SVG path: a rectangle for each run of dark modules of a row. */
export const qrPath = (modules: Modules): string =>
  modules.flatMap((row, y) => [...lineText(row).matchAll(/1+/g)].map((run) => runPath(run, y))).join('');

const runPath = ({ index, 0: { length } }: RegExpExecArray, y: number): string => `M${index} ${y}h${length}v1h-${length}z`;

const lineText = (row: readonly boolean[]): string => row.map((isDark) => (isDark ? '1' : '0')).join('');

const bitsOf = (value: number, count: number): boolean[] =>
  Array.from({ length: count }, (_, at) => ((value >> (count - 1 - at)) & 1) === 1);

/** Mode, length, the bytes, and padding up to the capacity of the version. */
function dataOf({ blocks, dataBytes }: Version, bytes: Uint8Array): Uint8Array {
  const data = new Uint8Array(blocks * dataBytes);
  // The mode (0100) and the length (8 bits) shift everything by half a byte; the terminator is the low half of the last byte.
  data[0] = 0x40 | (bytes.length >> 4);
  for (let at = 0; at <= bytes.length; at++)
    data[at + 1] = ((at === 0 ? bytes.length : (bytes[at - 1] as number)) << 4) | ((bytes[at] ?? 0) >> 4);
  for (let at = bytes.length + 2; at < data.length; at++) data[at] = (at - bytes.length) % 2 === 0 ? 0xec : 0x11;
  return data;
}

/** The bytes of all blocks, first the data, then the error correction, each taken from the blocks in turn. */
function interleave({ blocks, dataBytes, ecBytes }: Version, data: Uint8Array): Uint8Array {
  const parts = Array.from({ length: blocks }, (_, at) => data.subarray(at * dataBytes, (at + 1) * dataBytes));
  const ends = parts.map((part) => errorCorrection(part, ecBytes));
  const inTurn = (of: readonly Uint8Array[], length: number): number[] =>
    Array.from({ length }, (_, at) => of.map((part) => part[at] as number)).flat();
  return Uint8Array.from([...inTurn(parts, dataBytes), ...inTurn(ends, ecBytes)]);
}

/** Multiplies in the field GF(256) with the polynomial x⁸ + x⁴ + x³ + x² + 1. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

/** The Reed-Solomon bytes of a block: the rest of its division by (x − 1)(x − 2)(x − 4)… */
export function errorCorrection(data: Uint8Array, count: number): Uint8Array {
  let generator = [1];
  for (let at = 0, root = 1; at < count; at++, root = multiply(root, 2))
    generator = [...generator, 0].map((value, i) => value ^ multiply(i === 0 ? 0 : (generator[i - 1] as number), root));
  const rest = Uint8Array.from([...data, ...new Uint8Array(count)]);
  for (let at = 0; at < data.length; at++) {
    const factor = rest[at] as number;
    for (const [i, value] of generator.entries()) rest[at + i] = (rest[at + i] as number) ^ multiply(value, factor);
  }
  return rest.slice(data.length);
}

/** Patterns that are the same in every code of a size; undefined where data goes. Places of the format are false. */
function drawFrame(size: number): (boolean | undefined)[][] {
  const frame = Array.from({ length: size }, () => new Array<boolean | undefined>(size).fill(undefined));
  const set = (x: number, y: number, isDark: boolean): void => {
    const row = frame[y];
    if (row !== undefined && x >= 0 && x < size) row[x] = isDark;
  };
  for (let at = 8; at < size - 8; at++) {
    set(at, 6, at % 2 === 0);
    set(6, at, at % 2 === 0);
  }
  if (size > 21) drawSquares(set, size - 7, 2, (ring) => ring !== 1);
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawSquares(set, x, 4, (ring) => ring !== 2 && ring !== 4, y);
  for (let at = 0; at < 9; at++) {
    if (frame[8]?.[at] === undefined) set(at, 8, false);
    if (frame[at]?.[8] === undefined) set(8, at, false);
    if (at < 8) {
      set(size - 1 - at, 8, false);
      set(8, size - 1 - at, at === 7);
    }
  }
  return frame;
}

/** Draws rings around a centre, from 0 to `radius`. */
function drawSquares(
  set: (x: number, y: number, isDark: boolean) => void,
  x: number,
  radius: number,
  isDark: (ring: number) => boolean,
  y = x,
): void {
  for (let dy = -radius; dy <= radius; dy++)
    for (let dx = -radius; dx <= radius; dx++) set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
}

/** Whether a mask flips the module in a column and a row. */
const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** Fills the free places in columns of two, from the right, upwards and downwards in turn. Column 6 is left out. */
function placeBits(
  frame: readonly (readonly (boolean | undefined)[])[],
  modules: boolean[][],
  bits: readonly boolean[],
  isFlipped: (x: number, y: number) => boolean,
): void {
  const size = frame.length;
  let next = 0;
  for (let pair = 0; pair < (size - 1) / 2; pair++) {
    const right = size - 1 - 2 * pair;
    const column = right > 6 ? right : right - 1;
    for (let step = 0; step < size; step++) {
      const y = pair % 2 === 0 ? size - 1 - step : step;
      for (const x of [column, column - 1]) {
        if (frame[y]?.[x] !== undefined) continue;
        (modules[y] as boolean[])[x] = (bits[next++] ?? false) !== isFlipped(x, y);
      }
    }
  }
}

/** The 15 bits of the format: level M (00), the mask, and their BCH code, as the standard masks them. */
export function formatBits(mask: number): number {
  let rest = mask << 10;
  for (let bit = 14; bit >= 10; bit--) if ((rest >> bit) & 1) rest ^= 0x537 << (bit - 10);
  return ((mask << 10) | rest) ^ 0x5412;
}

/** Writes the format twice: around the upper left pattern, and beside the other two. */
function placeFormat(modules: boolean[][], mask: number): void {
  const size = modules.length;
  for (const [at, isDark] of bitsOf(formatBits(mask), 15).entries()) {
    const around = at < 6 ? at : at < 8 ? at + 1 : 0;
    if (at < 8) (modules[8] as boolean[])[around] = isDark;
    else (modules[at === 8 ? 7 : 14 - at] as boolean[])[8] = isDark;
    if (at < 7) (modules[size - 1 - at] as boolean[])[8] = isDark;
    else (modules[8] as boolean[])[size - 15 + at] = isDark;
  }
}

/** How hard a code is to read, by the four rules of the standard. */
function penaltyOf(modules: Modules): number {
  const size = modules.length;
  const rows = modules.map(lineText);
  const columns = rows.map((_, x) => rows.map((row) => row[x]).join(''));
  let penalty = 0;
  for (const line of [...rows, ...columns]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
    penalty += 40 * [...line.matchAll(/(?=00001011101|10111010000)/g)].length;
  }
  for (let y = 1; y < size; y++)
    for (let x = 1; x < size; x++) {
      const square = (rows[y - 1]?.slice(x - 1, x + 1) ?? '') + (rows[y]?.slice(x - 1, x + 1) ?? '');
      if (square === '0000' || square === '1111') penalty += 3;
    }
  const dark = rows.join('').replaceAll('0', '').length / size ** 2;
  return penalty + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}
