import { expect, test } from 'bun:test';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localTerms, ownedBy, signed, transfer } from '../../test/wallet-kit.ts';
import { createLog } from '../cli/log.ts';
import { recoverNative } from '../crypto/curve-native.ts';
import { createSignerCache } from '../crypto/recover.ts';
import { recoverBatch } from '../crypto/recovery-batch.ts';
import { createRecovery } from './recovery.ts';

const wallet = createWallet('recovery', { keys: [ewoq], count: 0 });
const tx = signed(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [transfer(localTerms.feeAsset, 1n, ownedBy([ewoq]))]));

/** All of its signatures, each by the owner it should have. */
const expected = () =>
  tx.credentials.flatMap((credential) =>
    'signatures' in credential ? credential.signatures.map((signature) => ({ signature, owner: ewoq.address })) : [],
  );

type Asked = PromiseWithResolvers<Uint8Array> & { readonly batch: Uint8Array };

/** A rush of transactions, over a thread that answers, fails or is silent as the test says. */
function setUp() {
  let now = 0;
  const soon: (() => void)[] = [];
  const timers = new Set<() => void>();
  const logged: string[] = [];
  const asked: Asked[] = [];
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
      const own: Asked[] = [];
      return {
        ask: (batch) => {
          const one = { ...Promise.withResolvers<Uint8Array>(), batch };
          own.push(one);
          asked.push(one);
          return one.promise;
        },
        close: () => {
          threads.open--;
          for (const { reject } of own) reject(new Error('the thread was closed'));
        },
      };
    },
  });
  /** The end of a turn of the event loop. */
  const turn = () => {
    for (const run of soon.splice(0)) run();
  };
  return {
    recovery,
    turn,
    logged,
    asked,
    threads,
    timers,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    /** What is pending after enough transactions for a rush and the end of the turn. */
    rush: () => {
      const pending = Array.from({ length: 30 }, () => recovery.prepare(tx, expected)).filter((one) => one !== undefined);
      turn();
      return pending;
    },
  };
}

/** How the pending ones end, while turns of the event loop go by. */
const outcomes = async (pending: readonly Promise<void>[], turn = () => {}) => {
  const settled = Promise.allSettled(pending);
  for (let turns = 0; turns < 20; turns++) {
    await Bun.sleep(0);
    turn();
  }
  return new Set((await settled).map((one) => (one.status === 'fulfilled' ? 'prepared' : one.reason.fault.code)));
};

test('a thread that fails: the transactions go on without it, it is reported once, and another is started after a while', async () => {
  const { rush, asked, logged, threads, pass, turn } = setUp();
  const pending = rush();
  expect(pending.length).toBeGreaterThan(0);
  for (const { reject } of asked.splice(0)) reject(new Error('out of memory'));
  expect(await outcomes(pending, turn)).toEqual(new Set(['prepared']));
  expect(logged).toEqual([expect.stringContaining('out of memory')]);
  expect(threads).toEqual({ opened: 1, open: 0 });

  expect(await outcomes(rush(), turn)).toEqual(new Set(['prepared']));
  expect(threads.opened).toBe(1);

  pass(10_000);
  rush();
  const again = rush();
  expect(threads).toEqual({ opened: 2, open: 1 });
  for (const { resolve, batch } of asked) resolve(recoverBatch(recoverNative, batch));
  expect(await outcomes(again)).toEqual(new Set(['prepared']));
  expect(logged).toHaveLength(1);
});

test('closing settles what is pending, sent or not, leaves no thread or timer, and may be done twice', async () => {
  const { recovery, rush, logged, threads, timers } = setUp();
  const sent = rush();
  const unsent = recovery.prepare(tx, expected) as Promise<void>;
  recovery.close();
  recovery.close();
  expect(await outcomes([...sent, unsent])).toEqual(new Set(['NODE_STOPPING']));
  expect([threads, timers.size, logged]).toEqual([{ opened: 1, open: 0 }, 0, []]);
});

test('a thread that is ended because it is quiet lets what is pending go on', async () => {
  const { rush, threads, timers, logged, turn } = setUp();
  const pending = rush();
  for (const run of [...timers]) run();
  expect(await outcomes(pending, turn)).toEqual(new Set(['prepared']));
  expect([threads, logged]).toEqual([{ opened: 1, open: 0 }, []]);
});
