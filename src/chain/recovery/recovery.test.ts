import { expect, test } from 'bun:test';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localChainParams, ownedBy, signDraft, transfer } from '../../../test/wallet-kit.ts';
import type { ExpectedSignature } from '../../avm/verify/owners.ts';
import { recoverNative } from '../../base/crypto/curve-native.ts';
import { createSignerCache } from '../../base/crypto/recover.ts';
import { recoverBatch } from '../../base/crypto/recovery-batch.ts';
import { createLog } from '../../base/log/log.ts';
import { createRecovery } from './recovery.ts';

const wallet = createWallet('recovery', { keys: [ewoq], count: 0 });
const tx = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [transfer(localChainParams.feeAsset, 1n, ownedBy([ewoq]))]));

/** All signatures of the transaction with their expected owners. */
const expected = () =>
  tx.credentials.flatMap((credential) =>
    'signatures' in credential ? credential.signatures.map((signature) => ({ signature, owner: ewoq.address })) : [],
  );

type SentBatch = PromiseWithResolvers<Uint8Array> & { readonly batch: Uint8Array };

/** A recovery with a fake thread whose results the test resolves, rejects or leaves pending. */
function setUp() {
  let now = 0;
  const soon: (() => void)[] = [];
  const timers = new Set<() => void>();
  const logged: string[] = [];
  const sentBatches: SentBatch[] = [];
  const threads = { opened: 0, open: 0 };
  const recovery = createRecovery(createSignerCache(recoverNative), {
    cores: 2,
    clock: { monotonic: () => now },
    timers: {
      soon: (run) => void soon.push(run),
      after: (_, run) => {
        timers.add(run);
        return () => void timers.delete(run);
      },
    },
    recoverKey: recoverNative,
    log: createLog(
      (line) => logged.push(line),
      () => 'info',
    ),
    openRecoveryThread: () => {
      threads.opened++;
      threads.open++;
      const pendingHere: SentBatch[] = [];
      return {
        request: (batch) => {
          const sent = { ...Promise.withResolvers<Uint8Array>(), batch };
          pendingHere.push(sent);
          sentBatches.push(sent);
          return sent.promise;
        },
        close: () => {
          threads.open--;
          for (const { reject } of pendingHere) reject(new Error('the thread was closed'));
        },
      };
    },
  });
  /** Ends a turn of the event loop. */
  const turn = () => {
    for (const run of soon.splice(0)) run();
  };
  return {
    recovery,
    turn,
    logged,
    sentBatches,
    threads,
    timers,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    /** Prepares enough transactions for a burst, ends the turn and returns what is pending. */
    burst: () => {
      const pending = Array.from({ length: 30 }, () => recovery.recoverAhead(tx, expected)).filter((one) => one !== undefined);
      turn();
      return pending;
    },
  };
}

/** The set of results of pending preparations after some turns of the event loop. */
const outcomes = async (pending: readonly Promise<void>[], turn = () => {}) => {
  const settled = Promise.allSettled(pending);
  for (let turns = 0; turns < 20; turns++) {
    await Bun.sleep(0);
    turn();
  }
  return new Set((await settled).map((sent) => (sent.status === 'fulfilled' ? 'prepared' : sent.reason.fault.code)));
};

test('the expected signatures have their signers when a preparation resolves', async () => {
  const { recovery, turn, sentBatches } = setUp();
  const all = Array.from({ length: 30 }, expected);
  const pending = all.map((signatures) => recovery.recoverAhead(tx, () => signatures)).filter((one) => one !== undefined);
  turn();
  for (const { resolve, batch } of sentBatches) resolve(recoverBatch(recoverNative, batch));
  expect(await outcomes(pending)).toEqual(new Set(['prepared']));
  expect(pending.length).toBeGreaterThan(0);
  const prepared: readonly ExpectedSignature[] = all.slice(-pending.length).flat();
  expect(new Set(prepared.map(({ signer }) => signer))).toEqual(new Set([ewoq.address]));
  recovery.close();
});

test('if the thread fails, transactions proceed without it, it is logged once, and another is started after a delay', async () => {
  const { burst, sentBatches, logged, threads, pass, turn } = setUp();
  const pending = burst();
  expect(pending.length).toBeGreaterThan(0);
  for (const { reject } of sentBatches.splice(0)) reject(new Error('out of memory'));
  expect(await outcomes(pending, turn)).toEqual(new Set(['prepared']));
  expect(logged).toEqual([expect.stringContaining('out of memory')]);
  expect(threads).toEqual({ opened: 1, open: 0 });

  expect(await outcomes(burst(), turn)).toEqual(new Set(['prepared']));
  expect(threads.opened).toBe(1);

  pass(10_000);
  burst();
  const again = burst();
  expect(threads).toEqual({ opened: 2, open: 1 });
  for (const { resolve, batch } of sentBatches) resolve(recoverBatch(recoverNative, batch));
  expect(await outcomes(again)).toEqual(new Set(['prepared']));
  expect(logged).toHaveLength(1);
});

test('close settles all pending preparations, leaves no thread or timer, and may be called twice', async () => {
  const { recovery, burst, logged, threads, timers } = setUp();
  const sent = burst();
  const unsent = recovery.recoverAhead(tx, expected) as Promise<void>;
  recovery.close();
  recovery.close();
  expect(await outcomes([...sent, unsent])).toEqual(new Set(['NODE_STOPPING']));
  expect([threads, timers.size, logged]).toEqual([{ opened: 1, open: 0 }, 0, []]);
});

test('pending transactions proceed if the thread is stopped because it is idle', async () => {
  const { burst, threads, timers, logged, turn } = setUp();
  const pending = burst();
  for (const run of [...timers]) run();
  expect(await outcomes(pending, turn)).toEqual(new Set(['prepared']));
  expect([threads, logged]).toEqual([{ opened: 1, open: 0 }, []]);
});

test('a burst lasts while a block is stored, and ends when few transactions arrive', async () => {
  const { recovery, burst, turn, pass, sentBatches } = setUp();
  const pending = burst();
  pass(100);
  const afterBlock = recovery.recoverAhead(tx, expected);
  expect(afterBlock).toBeDefined();
  turn();
  for (const { resolve, batch } of sentBatches) resolve(recoverBatch(recoverNative, batch));
  expect(await outcomes([...pending, afterBlock as Promise<void>])).toEqual(new Set(['prepared']));
  pass(250);
  expect(recovery.recoverAhead(tx, expected)).toBeUndefined();
  recovery.close();
});
