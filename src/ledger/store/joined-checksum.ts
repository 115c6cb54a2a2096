/**
 * CRC-32 of pages that follow each other, from the CRC-32 of each. So many pages are compared with their checksums by one call of `crc32`: with a call for
 * each page, the calls took more time than the bytes.
 *
 * A CRC is a polynomial: behind another page it is multiplied by x to the number of bits of a page, modulo the polynomial of the CRC, and the CRC of that
 * page is added (zlib: crc32_combine). A multiplication is an XOR of one entry of a table for each of the four bytes.
 */

/** The CRC-32 polynomial and x itself; the highest bit is the coefficient of x^0. */
const [polynomial, x] = [0xedb8_8320, 0x4000_0000];

/** Joins the checksums of pages of `pageSize` bytes, a power of two. `sums` has them in little-endian order. */
export type ChecksumJoiner = (sums: DataView, from: number, to: number) => number;

export function createChecksumJoiner(pageSize: number): ChecksumJoiner {
  const table = multiplicationTable(powerOfX(pageSize * 8));
  return (sums, from, to) => {
    let joined = 0;
    for (let at = from; at < to; at += 4)
      joined =
        (table[joined & 0xff] as number) ^
        (table[0x100 | ((joined >>> 8) & 0xff)] as number) ^
        (table[0x200 | ((joined >>> 16) & 0xff)] as number) ^
        (table[0x300 | (joined >>> 24)] as number) ^
        sums.getInt32(at, true);
    return joined >>> 0;
  };
}

/** The product of a factor and each value of each byte of a number, lowest byte first. */
function multiplicationTable(factor: number): Int32Array {
  const table = new Int32Array(4 * 256);
  for (let bit = 0; bit < 32; bit++) {
    const [start, value] = [(bit >>> 3) << 8, 1 << (bit & 7)];
    const product = multiply(factor, 1 << bit);
    for (let lower = 0; lower < value; lower++) table[start + value + lower] = (table[start + lower] as number) ^ product;
  }
  return table;
}

/** x to a power, which is a power of two. */
function powerOfX(exponent: number): number {
  let power = x;
  for (let reached = 1; reached < exponent; reached *= 2) power = multiply(power, power);
  return power;
}

function multiply(a: number, b: number): number {
  let [product, shifted] = [0, b];
  for (let bit = 31; bit >= 0; bit--) {
    if (((a >>> bit) & 1) === 1) product ^= shifted;
    shifted = (shifted >>> 1) ^ ((shifted & 1) === 1 ? polynomial : 0);
  }
  return product;
}
