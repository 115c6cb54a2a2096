import { expect, test } from 'bun:test';
import type { AddressFormat } from '../../api/rpc/address-format.ts';
import { makeTx, type Tx } from '../../avm/tx/tx.ts';
import { makeUtxo, refId, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { idOf } from '../../base/bytes/id.ts';
import { type AnyFault, Fault } from '../../base/fault.ts';
import type { ForeignReads } from '../../chain/follow/majority-remote.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { Env } from '../platform/env.ts';
import { fetchesOfImports, type JoinedImports, openJoinedImports } from './joined-imports.ts';

const [x, p, c] = ['X', 'P', 'C'].map((name) => idOf(Buffer.from(name))) as [Tx['id'], Tx['id'], Tx['id']];
const context = { specs: [{ id: x }], p: { id: p }, c: { id: c } } as unknown as NetworkContext;
const address = 'a'.repeat(40) as Address;

/** A transaction that imports outputs of `count` exports. */
const importOf = (name: string, count: number): Tx => {
  const importedInputs = Array.from({ length: count }, (_, index) => ({
    txID: idOf(Buffer.from(`${name} ${index}`)),
    outputIndex: 0,
    assetID: x,
    input: { kind: 'secp256k1fx.TransferInput' as const, amount: 5n, signatureIndices: [] },
  }));
  const base = { networkID: 1, blockchainID: x, outputs: [], inputs: [], memo: new Uint8Array(0) };
  return makeTx({ kind: 'ImportTx', ...base, sourceChain: p, importedInputs }, []);
};

/** A trusted node whose answers the test gives, and a clock that the test moves. */
function open() {
  const unanswered: (() => void)[] = [];
  const timers: (() => void)[] = [];
  let asked = 0;
  const foreignTx = () => {
    asked++;
    return new Promise<undefined>((resolve) => unanswered.push(() => resolve(undefined)));
  };
  const { fetchInputs } = openJoinedImports({
    remote: { foreignTx } as unknown as ForeignReads,
    env: { timers: { after: (_: number, run: () => void) => timers.push(run) }, clock: { monotonic: () => 0 } } as unknown as Env,
    context,
    store: { knowsAtomicUtxo: () => false, putAtomicUtxo: () => {} },
  });
  const answer = (count: number): Promise<void> => {
    for (const run of unanswered.splice(0, count)) run();
    return new Promise((resolve) => setImmediate(resolve));
  };
  const endWaiting = (): void => {
    for (const run of timers.splice(0)) run();
  };
  return { fetchInputs, asked: () => asked, answer, endWaiting };
}

test('64 exports are looked up at once for all transactions together', async () => {
  const { fetchInputs, asked, answer } = open();
  const fetched = Promise.all(Array.from({ length: 80 }, (_, index) => fetchInputs(importOf(`tx ${index}`, 2))));
  await answer(0);
  expect(asked()).toBe(64);
  await answer(3);
  expect(asked()).toBe(67);
  for (let round = 0; round < 3; round++) await answer(64);
  expect(asked()).toBe(160);
  await fetched;
});

test('when a transaction no longer waits, the rest of its exports is not looked up', async () => {
  const { fetchInputs, asked, answer, endWaiting } = open();
  const fetched = Promise.all(Array.from({ length: 80 }, (_, index) => fetchInputs(importOf(`tx ${index}`, 100))));
  await answer(0);
  endWaiting();
  await fetched;
  await answer(64);
  expect(asked()).toBe(64);
});

test('an output that is known is neither looked up nor stored again: storing it would undo its import', async () => {
  const utxos = [0, 1].map((index) =>
    makeUtxo(idOf(Buffer.from('export')), index, x, {
      ...{ kind: 'secp256k1fx.TransferOutput', amount: 5n, locktime: 0n, threshold: 1, addresses: [address] },
    }),
  ) as [Utxo, Utxo];
  const imported = importOf('imported', 1);
  const [input] = imported.unsigned.kind === 'ImportTx' ? imported.unsigned.importedInputs : [];
  const known = new Set([utxos[0].id, refId(input as Parameters<typeof refId>[0])]);
  const stored: unknown[] = [];
  const { fetchInputs, fetchAddresses } = openJoinedImports({
    remote: { utxos: async () => ({ utxos, next: undefined }), foreignTx: () => new Promise(() => {}) } as unknown as ForeignReads,
    env: { timers: { after: () => () => {} }, clock: { monotonic: () => 0 } } as unknown as Env,
    context,
    store: {
      knowsAtomicUtxo: (chain, source, id) => chain === x && source === p && known.has(id),
      putAtomicUtxo: (...args) => void stored.push(args),
    },
  });
  await fetchAddresses('P', [address]);
  expect(stored).toEqual([[x, p, utxos[1]]]);
  expect(fetchInputs(imported)).toBeUndefined();
  expect(fetchInputs(importOf('other', 1))).toBeInstanceOf(Promise);
});

test('a list of what another chain exported is asked of the trusted nodes first; if they cannot tell, it is refused, not empty', async () => {
  const format = {
    aliases: { find: (name: string) => ({ X: x, P: p, C: c })[name] },
    parse: (text: string) => {
      if (text !== 'X-a') throw new Fault('no address', { code: 'TEST_NO_ADDRESS' });
      return address;
    },
  } as unknown as AddressFormat;
  const asked: unknown[] = [];
  let failure: Error | undefined;
  const imports: Pick<JoinedImports, 'fetchAddresses'> = {
    fetchAddresses: async (...args) => {
      asked.push(args);
      if (failure !== undefined) throw failure;
    },
  };
  /** 'listed', or why the list was refused. `of`: undefined if no trusted node was named. */
  const fetchFrom =
    (of: object | undefined) =>
    (params: object): Promise<unknown> =>
      Promise.resolve(fetchesOfImports(of as JoinedImports | undefined, context, format)['avm.getUTXOs']?.(params)).then(
        () => 'listed',
        (error: AnyFault) => error.fault ?? error,
      );
  const fetch = fetchFrom(imports);
  for (const sourceChain of [undefined, '', 'X', 'Q']) expect(await fetch({ addresses: ['X-a'], sourceChain })).toBe('listed');
  expect(asked).toEqual([]);
  for (const sourceChain of ['P', 'C']) expect(await fetch({ addresses: ['X-a', 'nonsense'], sourceChain })).toBe('listed');
  expect(asked).toEqual([
    ['P', [address]],
    ['C', [address]],
  ]);
  failure = new Fault('silent', { code: 'TEST_SILENT' });
  expect(await fetch({ addresses: ['X-a'], sourceChain: 'P' })).toEqual({ code: 'AVM_EXPORTS_UNKNOWN', chain: 'P' });
  expect(await fetchFrom(undefined)({ addresses: ['X-a'], sourceChain: 'C' })).toEqual({ code: 'AVM_EXPORTS_UNKNOWN', chain: 'C' });
  failure = new TypeError('a bug');
  expect(await fetch({ addresses: ['X-a'], sourceChain: 'P' })).toBe(failure);
});
