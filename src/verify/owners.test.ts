import { describe, expect, test } from 'bun:test';
import { type Address, addressWriter, shortIdText } from '../bytes/address.ts';
import { SignatureError } from '../crypto/fault.ts';
import { codeOf, faultOf, toyRecover, toySignature } from './ledger.fixture.ts';
import { type Signing, sameOwners, verifyOwners, verifySigned } from './owners.ts';

const [a, b, c] = ['0a', '0b', '0c'].map((byte) => byte.repeat(20) as Address) as [Address, Address, Address];
const owners = (threshold: number, addresses: Address[], locktime = 0n) => ({ threshold, addresses, locktime });

describe('owners by themselves', () => {
  test.each([
    ['nobody: anyone may spend', owners(0, []), undefined],
    ['1 of 1', owners(1, [a]), undefined],
    ['2 of 3', owners(2, [a, b, c]), undefined],
    ['more signers than addresses', owners(2, [a]), 'TX_OUTPUT_UNSPENDABLE'],
    ['a signer and no address', owners(1, []), 'TX_OUTPUT_UNSPENDABLE'],
    ['addresses and no signer', owners(0, [a]), 'TX_OUTPUT_UNOPTIMIZED'],
    ['the same address twice', owners(1, [a, a]), 'TX_ADDRESSES_NOT_SORTED'],
    ['addresses in the wrong order', owners(1, [b, a]), 'TX_ADDRESSES_NOT_SORTED'],
    ['unspendable comes before unsorted', owners(3, [b, a]), 'TX_OUTPUT_UNSPENDABLE'],
    ['unoptimized comes before unsorted', owners(0, [b, a]), 'TX_OUTPUT_UNOPTIMIZED'],
  ])('%s', (_, value, code) => expect(codeOf(() => verifyOwners(value))).toBe(code as string));

  test('equal means the same lock, threshold and addresses', () => {
    expect(sameOwners(owners(1, [a, b]), owners(1, [a, b]))).toBe(true);
    for (const other of [owners(2, [a, b]), owners(1, [a]), owners(1, [a, c]), owners(1, [a, b], 1n), owners(1, [a, b, c])])
      expect(sameOwners(owners(1, [a, b]), other)).toBe(false);
  });
});

describe('who signed', () => {
  const addressText = addressWriter('X', 'local');
  const signing: Signing = { message: new Uint8Array(), now: 100n, recover: toyRecover, addressText, bootstrapped: true };
  const sign = (...signers: Address[]) => signers.map(toySignature);
  test.each([
    ['the owner', owners(1, [a]), [0], sign(a), undefined],
    ['two of three', owners(2, [a, b, c]), [0, 2], sign(a, c), undefined],
    ['nobody has to', owners(0, []), [], [], undefined],
    ['a lock that opens now', owners(1, [a], 100n), [0], sign(a), undefined],
    ['a lock that opens in a second', owners(1, [a], 101n), [0], sign(a), 'TX_TIME_LOCKED'],
    ['the lock comes before the number of signers', owners(1, [a], 101n), [], [], 'TX_TIME_LOCKED'],
    ['too many', owners(1, [a, b]), [0, 1], sign(a, b), 'TX_TOO_MANY_SIGNERS'],
    ['too few', owners(2, [a, b]), [0], sign(a), 'TX_TOO_FEW_SIGNERS'],
    ['one where nobody has to', owners(0, []), [0], sign(a), 'TX_TOO_MANY_SIGNERS'],
    ['a signature missing', owners(1, [a]), [0], [], 'TX_SIGNATURE_COUNT'],
    ['a signature over', owners(1, [a]), [0], sign(a, a), 'TX_SIGNATURE_COUNT'],
    ['a signature where nobody has to', owners(0, []), [], sign(a), 'TX_SIGNATURE_COUNT'],
    ['no such owner', owners(1, [a]), [1], sign(a), 'TX_SIGNER_OUT_OF_BOUNDS'],
    ['another one', owners(1, [a]), [0], sign(b), 'TX_WRONG_SIGNATURE'],
    ['signatures in another order', owners(2, [a, b]), [0, 1], sign(b, a), 'TX_WRONG_SIGNATURE'],
    ['a wrong signature before an index out of bounds', owners(2, [a, b]), [0, 9], sign(b, b), 'TX_WRONG_SIGNATURE'],
  ])('%s', (_, value, indices, signatures, code) =>
    expect(codeOf(() => verifySigned(value, indices, signatures, signing))).toBe(code as string),
  );

  test('while catching up, numbers and locks count and signatures do not', () => {
    const catchingUp = { ...signing, bootstrapped: false };
    expect(codeOf(() => verifySigned(owners(1, [a]), [9], sign(b), catchingUp))).toBeUndefined();
    expect(codeOf(() => verifySigned(owners(1, [a]), [9], [], catchingUp))).toBe('TX_SIGNATURE_COUNT');
    expect(codeOf(() => verifySigned(owners(1, [a], 101n), [0], sign(a), catchingUp))).toBe('TX_TIME_LOCKED');
  });

  test('a signature nobody can have made keeps its own code; any other error is not ours to rename', () => {
    const bad = (error: Error): Signing => ({
      ...signing,
      recover: () => {
        throw error;
      },
    });
    const run = (error: Error) => () => verifySigned(owners(1, [a]), [0], sign(a), bad(error));
    expect(faultOf(run(new SignatureError('invalid signature', { code: 'SIGNATURE_INVALID' })))).toEqual({
      code: 'SIGNATURE_INVALID',
      text: 'invalid signature',
    });
    expect(run(new RangeError('broken'))).toThrow(RangeError);
  });

  test('a wrong signature names both sides', () => {
    const fault = faultOf(() => verifySigned(owners(1, [a]), [0], sign(b), signing));
    expect(fault).toEqual({
      code: 'TX_WRONG_SIGNATURE',
      want: addressText(a),
      got: addressText(b),
      text: `wrong signature: expected signature from ${shortIdText(a)} but got from ${shortIdText(b)}`,
    });
  });
});
