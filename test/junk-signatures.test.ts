import { afterAll, expect, test } from 'bun:test';
import { sha256 } from '../src/bytes/hash.ts';
import { type Id, idOf } from '../src/bytes/id.ts';
import { createLog } from '../src/cli/log.ts';
import { recoverNative } from '../src/crypto/curve-native.ts';
import { createSignerCache } from '../src/crypto/recover.ts';
import { recoverBatch } from '../src/crypto/recovery-batch.ts';
import { createRecovery } from '../src/recovery/recovery.ts';
import { makeTx, signedPart, type Tx } from '../src/tx/tx.ts';
import type { UnsignedTx } from '../src/tx/unsigned.ts';
import { makeUtxo, type Utxo } from '../src/tx/utxo.ts';
import { openLocalChain, startByHand } from './local-chain.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localTerms, ownedBy, signed, transfer } from './wallet-kit.ts';

/** Signatures cost a hundred times what the other rules do: which are recovered ahead, in which order, and which never. */

const now = () => 2_000_000_000n;
const { chain, close } = openLocalChain({ now });
const engine = startByHand(chain, now);
afterAll(close);

const wallet = createWallet('junk', { keys: [ewoq], count: 200 });
const signatureSize = 97;

/** The thread that recovers, with its messages held until they are let go. */
function heldThread() {
  const held: { readonly signatures: number; readonly answer: () => void }[] = [];
  return {
    held,
    open: () => ({
      ask: (message: Uint8Array) =>
        new Promise<Uint8Array>((resolve) =>
          held.push({ signatures: message.length / signatureSize, answer: () => resolve(recoverBatch(recoverNative, message)) }),
        ),
      close: () => {},
    }),
  };
}

function openRecovery({ isRush }: { isRush: boolean }) {
  const thread = heldThread();
  let recoveredHere = 0;
  const signers = createSignerCache((...given) => {
    recoveredHere++;
    return recoverNative(...given);
  });
  const clock = [0];
  const recovery = createRecovery(signers, {
    openRecoveryThread: thread.open,
    timers: { soon: (run) => void setImmediate(run), after: () => () => {} },
    clock: { monotonic: () => (isRush ? 0 : clock.push(0) * 1000) },
    cores: 2,
    recoverKey: recoverNative,
    log: createLog(
      () => {},
      () => 'off',
    ),
  });
  const prepare = (tx: Tx) => recovery.prepare(tx, () => chain.expectedSignatures(tx));
  if (isRush) for (let i = 0; i < 24; i++) expect(prepare(junk(1, i))).toBeUndefined();
  return { ...thread, prepare, signers, recoveredHere: () => recoveredHere };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

const asJunk = (unsigned: UnsignedTx, signatures: readonly Uint8Array[]): Tx =>
  makeTx(unsigned, [{ kind: 'secp256k1fx.Credential', signatures: [...signatures] }]);

const anySignature = (i: number): Uint8Array =>
  Buffer.concat([sha256(Buffer.from([i >> 8, i & 255])), new Uint8Array(32).fill(1), Buffer.from([0])]);

/** Pays its fee from an output that does not exist, with any number of signatures. */
function junk(signatures: number, seed: number): Tx {
  const from = { ...ewoqGenesisUtxo, txID: idOf(Buffer.from(`junk ${seed}`)) };
  return asJunk(
    baseTx(wallet, { utxos: [from] }, []).unsigned,
    Array.from({ length: signatures }, (_, i) => anySignature(i)),
  );
}

/** An output of 150 owners who must all sign, and money beside it. */
const owners = wallet.keys.slice(1, 151);
const funding = signed(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [transfer(localTerms.feeAsset, 10_000_000n, ownedBy(owners, 150))]));
chain.issue(funding);
engine.decide();
const outputAt = (owned: number): Utxo => {
  const index = funding.unsigned.outputs.findIndex(({ output }) => output.addresses.length === owned);
  const { assetID, output } = funding.unsigned.outputs[index]!;
  return makeUtxo(funding.id as Id, index, assetID, output);
};
const large = (memo: string) => signed(baseTx(wallet, { utxos: [outputAt(150)], memo: Buffer.from(memo) }, []));
const honest = (memo: string) => signed(baseTx(wallet, { utxos: [outputAt(1)], memo: Buffer.from(memo) }, []));

test('a transaction that fails without its signatures has none of them recovered', async () => {
  for (const isRush of [true, false]) {
    const { prepare, held } = openRecovery({ isRush });
    const good = honest('x');
    const bad: Record<string, Tx> = {
      'no such output': junk(3900, 1),
      'no such output, the right number of signatures': junk(1, 2),
      'more signatures than the input has': asJunk(
        good.unsigned,
        Array.from({ length: 3900 }, (_, i) => anySignature(i)),
      ),
      'another network': asJunk(
        { ...good.unsigned, networkID: 1 },
        Array.from({ length: 3900 }, (_, i) => anySignature(i)),
      ),
      'too many credentials': makeTx(good.unsigned, [...good.credentials, ...junk(3000, 3).credentials]),
    };
    for (const [name, tx] of Object.entries(bad)) {
      expect([name, chain.expectedSignatures(tx)]).toEqual([name, []]);
      expect([name, prepare(tx)]).toEqual([name, undefined]);
      expect(() => chain.issue(tx)).toThrow();
    }
    await turn();
    expect(held).toEqual([]);
  }
});

test('a good one: in a rush all of them, otherwise none ahead', async () => {
  const tx = honest('good');
  expect(chain.expectedSignatures(tx)).toEqual([{ signature: expect.any(Uint8Array), owner: ewoq.address }]);
  expect(openRecovery({ isRush: false }).prepare(tx)).toBeUndefined();
  const { prepare, held } = openRecovery({ isRush: true });
  const ready = prepare(tx);
  await turn();
  expect(held.map(({ signatures }) => signatures)).toEqual([1]);
  held[0]?.answer();
  await ready;
});

test('many signatures are recovered elsewhere, in slices, and are all known when the rules ask', async () => {
  const { prepare, held, signers, recoveredHere } = openRecovery({ isRush: false });
  const tx = large('slices');
  let isReady = false;
  const ready = prepare(tx)?.then(() => {
    isReady = true;
  });
  const slices: number[] = [];
  while (!isReady) {
    await turn();
    expect(held.length).toBeLessThanOrEqual(1);
    const next = held.shift();
    if (next === undefined) continue;
    slices.push(next.signatures);
    next.answer();
  }
  await ready;
  expect(slices).toEqual([32, 32, 32, 32, 22]);
  for (const { signature, owner } of chain.expectedSignatures(tx)) expect(signers.recover(signedPart(tx), signature)).toBe(owner);
  expect(recoveredHere()).toBe(0);
});

test('the first wrong signer ends it', async () => {
  const { prepare, held } = openRecovery({ isRush: false });
  const tx = large('right');
  const { signatures } = tx.credentials[0] as { signatures: Uint8Array[] };
  const spoiled = asJunk(tx.unsigned, [anySignature(7), ...signatures.slice(1)]);
  const ready = prepare(spoiled);
  await turn();
  expect(held.map((one) => one.signatures)).toEqual([32]);
  held[0]?.answer();
  await ready;
  expect(held).toHaveLength(1);
  expect(() => chain.issue(spoiled)).toThrow(/invalid signature|wrong signature/);
});

test('many large ones at once: a small one waits for one slice at most, and each large one has its turn', async () => {
  const { prepare, held } = openRecovery({ isRush: true });
  const larges = Array.from({ length: 20 }, (_, i) => prepare(large(`l${i}`)));
  await turn();
  const small = prepare(honest('small'));
  await turn();
  expect(held.map(({ signatures }) => signatures)).toEqual([32, 1]);
  for (const one of held.splice(0)) one.answer();
  await small;
  // Nobody has a second slice before everybody had a first.
  for (let i = 1; i < 20; i++) {
    await turn();
    expect(held.map(({ signatures }) => signatures)).toEqual([32]);
    held.shift()?.answer();
  }
  const all = Promise.all(larges);
  let isDone = false;
  void all.then(() => {
    isDone = true;
  });
  for (let turns = 0; turns < 1000 && !isDone; turns++) {
    held.shift()?.answer();
    await turn();
  }
  expect(isDone).toBe(true);
});

test('how many large ones may wait is bounded', async () => {
  const { prepare } = openRecovery({ isRush: false });
  const tx = large('again');
  const waiting = Array.from({ length: 300 }, () => prepare(tx)?.catch((error: Error) => error.message));
  await turn();
  const refused = await Promise.race([Promise.all(waiting.slice(260)), Bun.sleep(2000).then(() => [])]);
  expect(new Set(refused)).toEqual(new Set(['too many transactions with many signatures are waiting; try again']));
});
