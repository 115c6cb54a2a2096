import { expect, test } from 'bun:test';
import { errorCorrection, formatBits, qrCode, qrPath } from './qr-code.ts';

test("error correction and format of the standard's worked examples (ISO/IEC 18004, annex I and 7.9.1)", () => {
  const data = [0x10, 0x20, 0x0c, 0x56, 0x61, 0x80, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11];
  expect([...errorCorrection(Uint8Array.from(data), 10)]).toEqual([0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55]);
  expect(formatBits(0b101).toString(2)).toBe('100000011001110');
});

/** As another program reads it: jsQR 1.4.0 decodes this picture, and those of random texts of every length. */
const addressCode = `
#######..............#....#######
#.....#.#..#.##.##..###.#.#.....#
#.###.#.##.###.#.##.##..#.#.###.#
#.###.#.#.#..........#.#..#.###.#
#.###.#..#####.#..#..####.#.###.#
#.....#..##..#..###.#.....#.....#
#######.#.#.#.#.#.#.#.#.#.#######
........#.##......#.....#........
#.....#.#..#####.##.#.##.##..###.
.##....#.#..#..#...##..###..##.#.
#.##########...#..#..##..#.#.###.
.##..#.#......#.#.....#.##.####..
..###.#.###..##.###.####..#..#..#
..##...##...#.#.#...#..####...#.#
###.###..#....#....#.#..#..##.#..
##.###.#..#..###..##..#########.#
.###.###..####...#.##.###..###..#
...#.#.##.###.##########.###.#..#
.#..#.##...#...#...##..#..#.###.#
#...##....#..#.#.##..#...#...##..
....####.########..#####....#....
#...##..#..#.##.#.#.#.##.#.##.###
#.######.###.####.#.#.#.#.####.#.
#.#....#.#.#.#........#.#.....#.#
#####.########.##..##.#######....
........###....##..##.#.#...##.##
#######..#..####..#..#.##.#.##...
#.....#..#.##...#..#...##...###..
#.###.#..##...#...##.#..#####...#
#.###.#...#.#...#...#.#..#..###.#
#.###.#..#.####.###.#.##.#..#..##
#.....#..##.#####.###.##...####..
#######.#.##....####..#.#..#.#.#.`;

test('the code of an address', () => {
  const modules = qrCode('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u');
  expect(`\n${modules?.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join('')).join('\n')}`).toBe(addressCode);
});

test('a code is as large as its text needs, up to 106 bytes', () => {
  const sizeOf = (length: number): number | undefined => qrCode('x'.repeat(length))?.length;
  expect([14, 15, 26, 42, 43, 62, 84, 106, 107].map(sizeOf)).toEqual([21, 25, 25, 29, 33, 33, 37, 41, undefined]);
});

test('a path draws each run of dark modules once', () => {
  expect(
    qrPath([
      [true, true, false, true],
      [false, false, true, false],
    ]),
  ).toBe('M0 0h2v1h-2zM3 0h1v1h-1zM2 1h1v1h-1z');
});
