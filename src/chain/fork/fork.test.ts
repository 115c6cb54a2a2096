import { expect, test } from 'bun:test';
import type { Tx } from '../../avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import { noResponse } from '../follow/fault.ts';
import type { Remote } from '../follow/remote.ts';
import { createFork, type ForkCopy, forkLimits } from './fork.ts';

const asset = idOf(Buffer.from('asset'));
const owner = '01'.repeat(20) as Address;
const utxoOf = (n: number): Utxo =>
  makeUtxo(idOf(Buffer.from(`creator ${n}`)), 0, asset, {
    kind: 'secp256k1fx.TransferOutput',
    amount: 1n,
    locktime: 0n,
    threshold: 1,
    addresses: [owner],
  });

/** A fork of a scripted node; `added` collects what is stored. */
function forkOf(remote: Partial<Remote>, deps: Partial<Parameters<typeof createFork>[0]> = {}) {
  const added: ForkCopy[] = [];
  const fork = createFork({
    remote: { url: 'http://source', tx: async () => undefined, utxos: async () => ({ utxos: [], next: undefined }), ...remote },
    ledger: {
      hasAddress: (address) => added.some((copy) => copy.address === address),
      hasOutput: () => false,
      hasAsset: (id) => id === asset,
      add: (copy) => void added.push(copy),
    },
    formatAddress: (address) => `X-${address.slice(0, 4)}`,
    now: () => 0,
    ...deps,
  });
  return { fork, added };
}

test('an address is fetched once, also if it is asked for twice at the same time', async () => {
  let calls = 0;
  const { fork, added } = forkOf({
    utxos: async () => {
      calls++;
      return { utxos: [utxoOf(1)], next: undefined };
    },
  });
  await Promise.all([fork.copyAddresses([owner]), fork.copyAddresses([owner, owner])]);
  expect([calls, added.length, added[0]?.utxos.length]).toEqual([1, 1, 1]);
  expect(fork.copyAddresses([owner])).toBeUndefined();
});

test('an address with too many outputs is refused, and nothing is stored', async () => {
  let page = 0;
  const { fork, added } = forkOf({
    utxos: async () => {
      page++;
      return { utxos: Array.from({ length: 1024 }, (_, i) => utxoOf(page * 1024 + i)), next: { address: '', utxo: '' } };
    },
  });
  await expect(fork.copyAddresses([owner]) as Promise<void>).rejects.toMatchObject({ fault: { code: 'FORK_ADDRESS_TOO_LARGE' } });
  expect(page).toBe(forkLimits.outputs / 1024 + 1);
  expect(added).toEqual([]);
});

test('a node that lists slowly is given up after a time', async () => {
  let time = 0;
  const { fork, added } = forkOf(
    {
      utxos: async () => {
        time += forkLimits.time / 2 + 1;
        return { utxos: [utxoOf(time)], next: { address: '', utxo: '' } };
      },
    },
    { now: () => time },
  );
  await expect(fork.copyAddresses([owner]) as Promise<void>).rejects.toThrow('longer than 30 s');
  expect(added).toEqual([]);
});

test('an error of the node names it and the cause; the next use tries again', async () => {
  let isDown = true;
  const { fork, added } = forkOf({
    utxos: async () => {
      if (isDown) throw noResponse('avm.getUTXOs', 'connection refused');
      return { utxos: [], next: undefined };
    },
  });
  await expect(fork.copyAddresses([owner]) as Promise<void>).rejects.toThrow(
    'cannot copy from the forked node http://source: avm.getUTXOs: connection refused',
  );
  isDown = false;
  await fork.copyAddresses([owner]);
  expect(added).toHaveLength(1);
});

test('a transaction with too many unknown inputs asks nothing', async () => {
  let asked = 0;
  const { fork } = forkOf({
    tx: async () => {
      asked++;
      return undefined;
    },
  });
  const spending = (count: number): Tx =>
    ({
      unsigned: {
        kind: 'BaseTx',
        inputs: Array.from({ length: count }, (_, i) => ({ txID: idOf(Buffer.from(String(i))) as Id, outputIndex: 0 })),
      },
    }) as unknown as Tx;
  await expect(fork.copyInputs(spending(forkLimits.inputs + 1), () => false) as Promise<void>).rejects.toMatchObject({
    fault: { code: 'FORK_TOO_MANY_INPUTS' },
  });
  expect(asked).toBe(0);
  await fork.copyInputs(spending(forkLimits.inputs), () => false);
  expect(asked).toBe(forkLimits.inputs);
  expect(fork.copyInputs(spending(5), () => true)).toBeUndefined();
});
