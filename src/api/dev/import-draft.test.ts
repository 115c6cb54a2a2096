import { expect, test } from 'bun:test';
import { nativeKeyCrypto } from '../../app/platform/key-crypto.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import { ewoqSecret } from '../../avm/wallet/accounts.ts';
import { createKey } from '../../avm/wallet/key.ts';
import { type ChainParams, ownedBy, transfer } from '../../avm/wallet/wallet.ts';
import { withChecksum } from '../../base/bytes/end-checksum.ts';
import { type Id, zeroId } from '../../base/bytes/id.ts';
import { maxU64 } from '../../base/bytes/octets.ts';
import { maxInputs, type OutputReads } from './coin-selection.ts';
import { draftImport } from './import-draft.ts';

const key = createKey(ewoqSecret, nativeKeyCrypto);
const other = createKey(new Uint8Array(32).fill(7), nativeKeyCrypto);
const [avax, gold, foreign, source] = ['aa', 'bb', 'cc', 'dd'].map((byte) => byte.repeat(32)) as [Id, Id, Id, Id];
const chainParams: ChainParams = { networkID: 1, blockchainID: zeroId, feeAsset: avax, txFee: 10n, createAssetTxFee: 10n };
const now = 100n;

const waits = (index: number, amount: bigint, { assetID = avax, owners = ownedBy([key]) } = {}): Utxo =>
  makeUtxo(zeroId, index, assetID, transfer(assetID, amount, owners).output);

/** Drafts an import of what waits; `pending`: outputs that a pending transaction imports, `coin`: what the payer has on the chain. */
async function draft(
  waiting: readonly Utxo[],
  { pending = new Set<Id>(), coin = 500n, to = undefined as ReturnType<typeof ownedBy> | undefined } = {},
) {
  const readPage: OutputReads['utxoPage'] = (chain, [address], start, limit) => {
    const from = waiting.findIndex(({ id }) => id === start.utxoID) + 1;
    const page = chain === source ? waiting.slice(from, from + limit) : [];
    return { utxos: page.map(({ bytes }) => withChecksum(bytes)), end: { address: address!, utxoID: page.at(-1)?.id ?? zeroId } };
  };
  const outputs: OutputReads = {
    chainID: zeroId,
    longWork: { begin: () => () => undefined },
    isPending: (id) => pending.has(id),
    pendingTxs: () => [],
    utxoPage: readPage,
  };
  const fees: bigint[] = [];
  const payFee = async (missing: bigint) => {
    fees.push(missing);
    return [makeUtxo(source, 0, avax, transfer(avax, coin, ownedBy([key])).output)];
  };
  const isTransferable = (assetID: Id) => assetID !== foreign;
  const request = { payer: { index: 0, key }, source, readPage, isTransferable, to, memo: new Uint8Array(0), noWait: false };
  const found = await draftImport(request, { wallet: { keys: [key, other], chainParams }, outputs, payFee, time: now });
  const unsigned = found.draft?.unsigned;
  if (unsigned !== undefined && unsigned.kind !== 'ImportTx') throw new Error(`a ${unsigned.kind} was built`);
  return {
    ...found,
    fees,
    received: unsigned?.outputs.map(({ assetID, output }) => [assetID, output.amount, output.addresses[0]]),
    imported: unsigned?.importedInputs.map(({ outputIndex }) => outputIndex),
    inputs: unsigned?.inputs.length,
  };
}

test('imported AVAX pays the fee; the rest and other assets go to the payer', async () => {
  const { fees, received, imported, inputs, amounts, outputs, remaining } = await draft([
    waits(0, 3n, { assetID: gold }),
    waits(1, 25n),
    waits(2, 4n, { assetID: gold }),
  ]);
  expect([fees, inputs, outputs, remaining]).toEqual([[], 0, 3, 0]);
  expect([received, imported]).toEqual([
    [
      [avax, 15n, key.address],
      [gold, 7n, key.address],
    ],
    [0, 1, 2],
  ]);
  expect([...amounts]).toEqual([
    [avax, 25n],
    [gold, 7n],
  ]);
});

test('what imported AVAX does not cover of the fee, the payer pays and gets the change of; all that is imported goes to the given owners', async () => {
  const to = ownedBy([other]);
  const { fees, received, inputs } = await draft([waits(0, 4n), waits(1, 7n, { assetID: gold })], { to });
  expect([fees, inputs]).toEqual([[6n], 1]);
  expect(received).toEqual([
    [avax, 494n, key.address],
    [gold, 7n, other.address],
  ]);
  expect((await draft([waits(0, 7n, { assetID: gold })])).fees).toEqual([10n]);
});

test('left out: what is locked, needs another signature, cannot be on the chain, or is being imported', async () => {
  const used = waits(4, 60n);
  const { imported, remaining } = await draft(
    [
      waits(0, 50n, { owners: ownedBy([key], 1, now + 1n) }),
      waits(1, 51n, { owners: ownedBy([key], 1, now) }),
      waits(2, 52n, { owners: ownedBy([key, other], 2) }),
      waits(3, 53n, { assetID: foreign }),
      used,
      waits(5, 54n, { owners: ownedBy([key, other], 1) }),
    ],
    { pending: new Set([used.id]) },
  );
  expect([imported, remaining]).toEqual([[1, 5], 3]);
  expect(await draft([waits(0, 50n, { owners: ownedBy([key], 1, now + 1n) })])).toMatchObject({
    draft: undefined,
    outputs: 0,
    remaining: 1,
  });
});

test('one transaction takes a limited number of outputs, the largest of AVAX first, and no sum that an output cannot hold', async () => {
  const many = Array.from({ length: maxInputs + 5 }, (_, i) => waits(i, BigInt(i + 1)));
  const { outputs, remaining, imported } = await draft([waits(1000, 9n, { assetID: gold }), ...many]);
  expect([outputs, remaining, imported?.[0]]).toEqual([maxInputs, 6, 5]);
  const huge = await draft([waits(0, maxU64, { assetID: gold }), waits(1, 1n, { assetID: gold }), waits(2, 20n)]);
  expect([huge.imported, huge.remaining]).toEqual([[0, 2], 1]);
});
