import { afterAll, expect, test } from 'bun:test';
import { makeTx, type Tx } from '../src/avm/tx/tx.ts';
import type { UnsignedTx } from '../src/avm/tx/unsigned.ts';
import { makeUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { sha256 } from '../src/base/bytes/hash.ts';
import { type Id, idOf } from '../src/base/bytes/id.ts';
import { recoverNative } from '../src/base/crypto/curve-native.ts';
import { createSignerCache } from '../src/base/crypto/recover.ts';
import { recoverBatch } from '../src/base/crypto/recovery-batch.ts';
import { createLog } from '../src/base/log/log.ts';
import { createRecovery } from '../src/chain/recovery/recovery.ts';
import { openLocalChain, startManualEngine } from './local-chain.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** Recovering signatures takes a hundred times as long as the other rules: which are recovered ahead, in which order, and which never. */

const now = () => 2_000_000_000n;
const { chain, close } = openLocalChain({ now });
const engine = startManualEngine(chain, now);
afterAll(close);

const wallet = createWallet('junk', { keys: [ewoq], count: 200 });
const signatureSize = 97;

/** A recovery thread that responds to a message only when the test calls `answer`. */
function createManualThread() {
  const messages: { readonly signatures: number; readonly answer: () => void }[] = [];
  return {
    messages,
    open: () => ({
      request: (message: Uint8Array) =>
        new Promise<Uint8Array>((resolve) =>
          messages.push({ signatures: message.length / signatureSize, answer: () => resolve(recoverBatch(recoverNative, message)) }),
        ),
      close: () => {},
    }),
  };
}

function openRecovery({ isBurst }: { isBurst: boolean }) {
  const thread = createManualThread();
  let recoveredHere = 0;
  const signers = createSignerCache((...given) => {
    recoveredHere++;
    return recoverNative(...given);
  });
  const clock = [0];
  const recovery = createRecovery(signers, {
    openRecoveryThread: thread.open,
    timers: { soon: (run) => void setImmediate(run), after: () => () => {} },
    clock: { monotonic: () => (isBurst ? 0 : clock.push(0) * 1000) },
    cores: 2,
    recoverKey: recoverNative,
    log: createLog(
      () => {},
      () => 'off',
    ),
  });
  let expected: ReturnType<typeof chain.expectedSignatures> = [];
  const prepare = (tx: Tx) =>
    recovery.recoverAhead(tx, () => {
      expected = chain.expectedSignatures(tx);
      return expected;
    });
  if (isBurst) for (let i = 0; i < 24; i++) expect(prepare(junkTx(1, i))).toBeUndefined();
  return { ...thread, prepare, expected: () => expected, recoveredHere: () => recoveredHere };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const withSignatures = (unsigned: UnsignedTx, signatures: readonly Uint8Array[]): Tx =>
  makeTx(unsigned, [{ kind: 'secp256k1fx.Credential', signatures: [...signatures] }]);

const junkSignature = (i: number): Uint8Array =>
  Buffer.concat([sha256(Buffer.from([i >> 8, i & 255])), new Uint8Array(32).fill(1), Buffer.from([0])]);

/** A transaction that pays its fee from an output that does not exist, with any number of signatures. */
function junkTx(signatures: number, seed: number): Tx {
  const from = { ...ewoqGenesisUtxo, txID: idOf(Buffer.from(`junk ${seed}`)) };
  return withSignatures(
    baseTx(wallet, { utxos: [from] }, []).unsigned,
    Array.from({ length: signatures }, (_, i) => junkSignature(i)),
  );
}

/** Creates an output with 150 owners who must all sign, and one with a single owner. */
const owners = wallet.keys.slice(1, 151);
const funding = signDraft(
  baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [transfer(localChainParams.feeAsset, 10_000_000n, ownedBy(owners, 150))]),
);
chain.issue(funding);
engine.decide();
const outputWithOwners = (owned: number): Utxo => {
  const index = funding.unsigned.outputs.findIndex(({ output }) => output.addresses.length === owned);
  const { assetID, output } = funding.unsigned.outputs[index]!;
  return makeUtxo(funding.id as Id, index, assetID, output);
};
const manySignatures = (memo: string) => signDraft(baseTx(wallet, { utxos: [outputWithOwners(150)], memo: Buffer.from(memo) }, []));
const oneSignature = (memo: string) => signDraft(baseTx(wallet, { utxos: [outputWithOwners(1)], memo: Buffer.from(memo) }, []));

test('a transaction that fails without its signatures has none of them recovered', async () => {
  for (const isBurst of [true, false]) {
    const { prepare, messages } = openRecovery({ isBurst });
    const good = oneSignature('x');
    const bad: Record<string, Tx> = {
      'no such output': junkTx(3900, 1),
      'no such output, the right number of signatures': junkTx(1, 2),
      'more signatures than the input has': withSignatures(
        good.unsigned,
        Array.from({ length: 3900 }, (_, i) => junkSignature(i)),
      ),
      'another network': withSignatures(
        { ...good.unsigned, networkID: 1 },
        Array.from({ length: 3900 }, (_, i) => junkSignature(i)),
      ),
      'too many credentials': makeTx(good.unsigned, [...good.credentials, ...junkTx(3000, 3).credentials]),
    };
    for (const [name, tx] of Object.entries(bad)) {
      expect([name, chain.expectedSignatures(tx)]).toEqual([name, []]);
      expect([name, prepare(tx)]).toEqual([name, undefined]);
      expect(() => chain.issue(tx)).toThrow();
    }
    await nextTurn();
    expect(messages).toEqual([]);
  }
});

test('a valid transaction: all signatures are recovered ahead in a burst, otherwise none', async () => {
  const tx = oneSignature('good');
  expect(chain.expectedSignatures(tx)).toEqual([{ signature: expect.any(Uint8Array), owner: ewoq.address }]);
  expect(openRecovery({ isBurst: false }).prepare(tx)).toBeUndefined();
  const { prepare, messages } = openRecovery({ isBurst: true });
  const ready = prepare(tx);
  await nextTurn();
  expect(messages.map(({ signatures }) => signatures)).toEqual([1]);
  messages[0]?.answer();
  await ready;
});

test('many signatures are recovered on the thread, in slices, and all have their signers when the transaction is verified', async () => {
  const { prepare, messages, expected, recoveredHere } = openRecovery({ isBurst: false });
  const tx = manySignatures('slices');
  let isReady = false;
  const ready = prepare(tx)?.then(() => {
    isReady = true;
  });
  const slices: number[] = [];
  while (!isReady) {
    await nextTurn();
    expect(messages.length).toBeLessThanOrEqual(1);
    const next = messages.shift();
    if (next === undefined) continue;
    slices.push(next.signatures);
    next.answer();
  }
  await ready;
  expect(slices).toEqual([32, 32, 32, 32, 22]);
  expect(expected().length).toBe(150);
  for (const { signer, owner } of expected()) expect(signer).toBe(owner);
  expect(recoveredHere()).toBe(0);
});

test('recovery stops at the first wrong signer', async () => {
  const { prepare, messages } = openRecovery({ isBurst: false });
  const tx = manySignatures('right');
  const { signatures } = tx.credentials[0] as { signatures: Uint8Array[] };
  const wrongSigner = withSignatures(tx.unsigned, [junkSignature(7), ...signatures.slice(1)]);
  const ready = prepare(wrongSigner);
  await nextTurn();
  expect(messages.map((one) => one.signatures)).toEqual([32]);
  messages[0]?.answer();
  await ready;
  expect(messages).toHaveLength(1);
  expect(() => chain.issue(wrongSigner)).toThrow(/invalid signature|wrong signature/);
});

test('many large transactions at once: a small one waits for one slice at most, and slices of the large ones alternate', async () => {
  const { prepare, messages } = openRecovery({ isBurst: true });
  const larges = Array.from({ length: 20 }, (_, i) => prepare(manySignatures(`l${i}`)));
  await nextTurn();
  const small = prepare(oneSignature('small'));
  await nextTurn();
  expect(messages.map(({ signatures }) => signatures)).toEqual([32, 1]);
  for (const one of messages.splice(0)) one.answer();
  await small;
  // No transaction gets a second slice before all have had a first one.
  for (let i = 1; i < 20; i++) {
    await nextTurn();
    expect(messages.map(({ signatures }) => signatures)).toEqual([32]);
    messages.shift()?.answer();
  }
  const all = Promise.all(larges);
  let isDone = false;
  void all.then(() => {
    isDone = true;
  });
  for (let turns = 0; turns < 1000 && !isDone; turns++) {
    messages.shift()?.answer();
    await nextTurn();
  }
  expect(isDone).toBe(true);
});

test('the number of waiting large transactions is limited', async () => {
  const { prepare } = openRecovery({ isBurst: false });
  const tx = manySignatures('again');
  const waiting = Array.from({ length: 300 }, () => prepare(tx)?.catch((error: Error) => error.message));
  await nextTurn();
  const refused = await Promise.race([Promise.all(waiting.slice(260)), Bun.sleep(2000).then(() => [])]);
  expect(new Set(refused)).toEqual(new Set(['too many transactions with many signatures are waiting; try again']));
});
