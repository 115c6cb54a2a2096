import { describe, expect, test } from 'bun:test';
import { type Address, createAddressFormatter, shortIdText } from '../../base/bytes/address.ts';
import { SignatureError } from '../../base/crypto/recover.ts';
import { codeOf, fakeRecover, fakeSignature, faultOf } from './ledger.fixture.ts';
import { ownersEqual, type SignatureContext, verifyOwners, verifySignatures } from './owners.ts';

const [a, b, c] = ['0a', '0b', '0c'].map((byte) => byte.repeat(20) as Address) as [Address, Address, Address];
const owners = (threshold: number, addresses: Address[], locktime = 0n) => ({ threshold, addresses, locktime });

describe('verifyOwners', () => {
  test.each([
    ['no owner: anyone may spend', owners(0, []), undefined],
    ['1 of 1', owners(1, [a]), undefined],
    ['2 of 3', owners(2, [a, b, c]), undefined],
    ['threshold 2, one address', owners(2, [a]), 'TX_OUTPUT_UNSPENDABLE'],
    ['threshold 1, no address', owners(1, []), 'TX_OUTPUT_UNSPENDABLE'],
    ['threshold 0, one address', owners(0, [a]), 'TX_OUTPUT_UNOPTIMIZED'],
    ['the same address twice', owners(1, [a, a]), 'TX_ADDRESSES_NOT_SORTED'],
    ['addresses in the wrong order', owners(1, [b, a]), 'TX_ADDRESSES_NOT_SORTED'],
    ['unspendable is reported before unsorted', owners(3, [b, a]), 'TX_OUTPUT_UNSPENDABLE'],
    ['unoptimized is reported before unsorted', owners(0, [b, a]), 'TX_OUTPUT_UNOPTIMIZED'],
  ])('%s', (_, value, code) => expect(codeOf(() => verifyOwners(value))).toBe(code as string));

  test('owners are equal if locktime, threshold and addresses are', () => {
    expect(ownersEqual(owners(1, [a, b]), owners(1, [a, b]))).toBe(true);
    for (const other of [owners(2, [a, b]), owners(1, [a]), owners(1, [a, c]), owners(1, [a, b], 1n), owners(1, [a, b, c])])
      expect(ownersEqual(owners(1, [a, b]), other)).toBe(false);
  });
});

describe('verifySignatures', () => {
  const addressText = createAddressFormatter('X', 'local');
  const signing: SignatureContext = { message: new Uint8Array(), now: 100n, recover: fakeRecover, addressText, bootstrapped: true };
  const sign = (...signers: Address[]) => signers.map(fakeSignature);
  test.each([
    ['the owner', owners(1, [a]), [0], sign(a), undefined],
    ['two of three', owners(2, [a, b, c]), [0, 2], sign(a, c), undefined],
    ['no owner, no signature', owners(0, []), [], [], undefined],
    ['a locktime of now', owners(1, [a], 100n), [0], sign(a), undefined],
    ['a locktime in one second', owners(1, [a], 101n), [0], sign(a), 'TX_TIME_LOCKED'],
    ['the locktime is checked before the number of signers', owners(1, [a], 101n), [], [], 'TX_TIME_LOCKED'],
    ['too many signers', owners(1, [a, b]), [0, 1], sign(a, b), 'TX_TOO_MANY_SIGNERS'],
    ['too few signers', owners(2, [a, b]), [0], sign(a), 'TX_TOO_FEW_SIGNERS'],
    ['a signer without owners', owners(0, []), [0], sign(a), 'TX_TOO_MANY_SIGNERS'],
    ['a signature missing', owners(1, [a]), [0], [], 'TX_SIGNATURE_COUNT'],
    ['one signature too many', owners(1, [a]), [0], sign(a, a), 'TX_SIGNATURE_COUNT'],
    ['a signature without owners', owners(0, []), [], sign(a), 'TX_SIGNATURE_COUNT'],
    ['an index without owner', owners(1, [a]), [1], sign(a), 'TX_SIGNER_OUT_OF_BOUNDS'],
    ['signed by another address', owners(1, [a]), [0], sign(b), 'TX_WRONG_SIGNATURE'],
    ['signatures in another order', owners(2, [a, b]), [0, 1], sign(b, a), 'TX_WRONG_SIGNATURE'],
    ['a wrong signature before an index out of bounds', owners(2, [a, b]), [0, 9], sign(b, b), 'TX_WRONG_SIGNATURE'],
  ])('%s', (_, value, indices, signatures, code) =>
    expect(codeOf(() => verifySignatures(value, indices, signatures, signing))).toBe(code as string),
  );

  test('while catching up, counts and locktimes are checked and signatures are not', () => {
    const catchingUp = { ...signing, bootstrapped: false };
    expect(codeOf(() => verifySignatures(owners(1, [a]), [9], sign(b), catchingUp))).toBeUndefined();
    expect(codeOf(() => verifySignatures(owners(1, [a]), [9], [], catchingUp))).toBe('TX_SIGNATURE_COUNT');
    expect(codeOf(() => verifySignatures(owners(1, [a], 101n), [0], sign(a), catchingUp))).toBe('TX_TIME_LOCKED');
  });

  test('an invalid signature keeps its own code; any other error is passed on unchanged', () => {
    const bad = (error: Error): SignatureContext => ({
      ...signing,
      recover: () => {
        throw error;
      },
    });
    const run = (error: Error) => () => verifySignatures(owners(1, [a]), [0], sign(a), bad(error));
    expect(faultOf(run(new SignatureError('invalid signature', { code: 'SIGNATURE_INVALID' })))).toEqual({
      code: 'SIGNATURE_INVALID',
      text: 'invalid signature',
    });
    expect(run(new RangeError('broken'))).toThrow(RangeError);
  });

  test('a wrong signature names the expected and the actual signer', () => {
    const fault = faultOf(() => verifySignatures(owners(1, [a]), [0], sign(b), signing));
    expect(fault).toEqual({
      code: 'TX_WRONG_SIGNATURE',
      want: addressText(a),
      got: addressText(b),
      text: `wrong signature: expected signature from ${shortIdText(a)} but got from ${shortIdText(b)}`,
    });
  });
});
