import { expect, test } from 'bun:test';
import type { TransferOutput } from '../../avm/tx/output.ts';
import { makeTx } from '../../avm/tx/tx.ts';
import type { UnsignedTx } from '../../avm/tx/unsigned.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idOf, zeroId } from '../../base/bytes/id.ts';
import { summarizeTx } from './summarize-tx.ts';

const [avax, token] = [idOf(Uint8Array.of(1)), idOf(Uint8Array.of(2))];
const [alice, bob, carol] = ['aa', 'bb', 'cc'].map((byte) => byte.repeat(20) as Address) as [Address, Address, Address];

const outputOf = (owner: Address, amount: bigint, locktime = 0n) => ({
  kind: 'secp256k1fx.TransferOutput' as const,
  ...({ amount, locktime, threshold: 1, addresses: [owner] } satisfies TransferOutput),
});
const transferable = (owner: Address, amount: bigint, asset: Id = avax, locktime = 0n) => ({
  assetID: asset,
  output: outputOf(owner, amount, locktime),
});

/** The first outputs of a transaction `zeroId`, which an owner spends. */
const spend = (owner: Address, ...amounts: (readonly [Id, bigint])[]) => ({
  inputs: amounts.map(([assetID, amount], outputIndex) => ({
    txID: zeroId,
    outputIndex,
    assetID,
    input: { kind: 'secp256k1fx.TransferInput' as const, amount, signatureIndices: [0] },
  })),
  find: ({ outputIndex }: { outputIndex: number }) => {
    const [asset, amount] = amounts[outputIndex] as readonly [Id, bigint];
    return makeUtxo(zeroId, outputIndex, asset, outputOf(owner, amount));
  },
});

/** The action, who pays whom, the amounts by asset (`a` AVAX, `t` a token), and which outputs are change. */
function summarize(unsigned: UnsignedTx, find: ReturnType<typeof spend>['find']) {
  const { action, from, to, isToSelf, amounts, change } = summarizeTx(makeTx(unsigned, []), find, {
    formatAddress: (address) => address.slice(0, 2),
    labelOf: (asset) => ({ symbol: asset === avax ? 'a' : 't', denomination: 9 }),
  });
  const names = (owners: typeof from) => owners.flatMap(({ addresses }) => addresses).join();
  return [
    `${action} ${names(from)} to ${names(to)}${isToSelf ? ' (self)' : ''}`,
    amounts.map(({ amount, symbol }) => `${amount} ${symbol}`).join(', '),
    change,
  ];
}

const base = { networkID: 1, blockchainID: zeroId, memo: new Uint8Array() };

test('a payment: amounts of the receivers are added by asset, and what goes back is change', () => {
  const { inputs, find } = spend(alice, [avax, 100n], [token, 50n]);
  const outputs = [
    transferable(bob, 10n),
    transferable(carol, 20n),
    transferable(alice, 60n),
    transferable(bob, 5n, token),
    transferable(alice, 45n, token),
  ];
  expect(summarize({ kind: 'BaseTx', ...base, inputs, outputs }, find)).toEqual(['send aa to bb,cc', '30 a, 5 t', [2, 4]]);
});

test('a payment to oneself: the largest output of an asset is change, unless one is locked', () => {
  const { inputs, find } = spend(alice, [avax, 100n]);
  const outputs = [transferable(alice, 30n), transferable(alice, 60n)];
  expect(summarize({ kind: 'BaseTx', ...base, inputs, outputs }, find)).toEqual(['send aa to aa (self)', '30 a', [1]]);
  const locked = [transferable(alice, 30n), transferable(alice, 60n, avax, 9n)];
  expect(summarize({ kind: 'BaseTx', ...base, inputs, outputs: locked }, find)).toEqual(['send aa to aa (self)', '60 a', [0]]);
});

test('an import adds what it consumes of the other chain; an export is what leaves this one', () => {
  const { inputs, find } = spend(alice, [avax, 40n], [avax, 50n]);
  const imported = { kind: 'ImportTx' as const, ...base, inputs: [], sourceChain: token, importedInputs: inputs };
  expect(summarize({ ...imported, outputs: [transferable(bob, 80n)] }, find)).toEqual(['import  to bb', '90 a', []]);
  const exported = { kind: 'ExportTx' as const, ...base, inputs, destinationChain: token, outputs: [transferable(alice, 10n)] };
  expect(summarize({ ...exported, exportedOutputs: [transferable(bob, 30n), transferable(bob, 40n)] }, find)).toEqual([
    'export aa to bb',
    '70 a',
    [0],
  ]);
});
