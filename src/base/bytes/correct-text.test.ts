import { describe, expect, test } from 'bun:test';
import { bech32Decode, bech32Encode, correctBech32 } from './bech32.ts';
import { cb58Encode, correctCb58 } from './cb58.ts';

const bytesOf = (seed: number, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (seed * 97 + i * 53 + ((i * seed) >> 3)) & 0xff);

const replaceAt = (text: string, at: number, letter: string): string => text.slice(0, at) + letter + text.slice(at + 1);

describe('correctBech32', () => {
  test('finds the address from which a text differs in one character, at every position', () => {
    for (let seed = 0; seed < 3; seed++) {
      const address = bech32Encode('local', bytesOf(seed, 20));
      for (let at = 'local1'.length; at < address.length; at++)
        for (const letter of 'qpzry9x8gf2tvdw0s3jn54khce6mua7l') {
          const changed = replaceAt(address, at, letter);
          expect(correctBech32(changed)).toBe(changed === address ? undefined : address);
        }
    }
  });

  test('a character that bech32 does not have is replaced', () => {
    const address = bech32Encode('local', bytesOf(4, 20));
    for (const letter of 'boi!é') expect(correctBech32(replaceAt(address, 12, letter))).toBe(address);
    expect(correctBech32(replaceAt(replaceAt(address, 12, 'b'), 14, 'o'))).toBeUndefined();
  });

  test('two wrong characters, and other texts, have no correction that is wrong', () => {
    const address = bech32Encode('local', bytesOf(5, 20));
    const changed = correctBech32(replaceAt(replaceAt(address, 10, address[10] === 'q' ? 'p' : 'q'), 20, address[20] === 'q' ? 'p' : 'q'));
    expect(changed).toBeUndefined();
    for (const text of ['', '1', 'local1', 'x'.repeat(10_000), '1'.repeat(90), `a1${'q'.repeat(1000)}`]) {
      const corrected = correctBech32(text);
      if (corrected !== undefined) expect(() => bech32Decode(corrected)).not.toThrow();
    }
  });
});

describe('correctCb58', () => {
  test('finds the id from which a text differs in one character', () => {
    for (const length of [20, 32])
      for (let seed = 1; seed < 4; seed++) {
        const id = cb58Encode(bytesOf(seed, length));
        for (let at = 0; at < id.length; at += 5) {
          const changed = replaceAt(id, at, id[at] === 'z' ? 'y' : 'z');
          expect(correctCb58(changed, length)).toBe(id);
        }
        expect(correctCb58(replaceAt(id, 7, '0'), length)).toBe(id);
        expect(correctCb58(replaceAt(replaceAt(id, 7, '0'), 9, 'O'), length)).toBeUndefined();
      }
  });

  test('an id with leading zero bytes, and texts that are none', () => {
    const id = cb58Encode(Uint8Array.from({ length: 32 }, (_, i) => (i < 3 ? 0 : i)));
    expect(correctCb58(replaceAt(id, 20, id[20] === 'z' ? 'y' : 'z'), 32)).toBe(id);
    for (const text of ['', '1', 'z'.repeat(51), 'z'.repeat(90), 'z'.repeat(10_000)]) expect(correctCb58(text, 32)).toBeUndefined();
  });
});
