import { expect, test } from 'bun:test';
import fc from 'fast-check';
import scenario from '../../../vectors/scenario-txs.json' with { type: 'json' };
import { maxU64 } from '../../base/bytes/octets.ts';
import { CodecError } from '../../base/codec/fault.ts';
import { recoverNative } from '../../base/crypto/curve-native.ts';
import { createSignerCache } from '../../base/crypto/recover.ts';
import { createDiff } from '../../ledger/state/diff.ts';
import { effectsOf } from '../tx/effects.ts';
import { makeTx, parseTx, type Tx } from '../tx/tx.ts';
import type { View } from '../view.ts';
import { explainTx } from './explain.ts';
import { TxError } from './fault.ts';
import { createTestLedger, localContext, localRules, putInSharedMemory, type SharedMemoryPut, txOf, verify } from './ledger.fixture.ts';

const context = { ...localContext, recover: createSignerCache(recoverNative).recover };

/** Every accepted transaction of the scenario with the state before it. */
const accepted = (() => {
  const ledger = createTestLedger(scenario.genesisTx);
  const out: { tx: Tx; view: View }[] = [];
  let view = ledger.view;
  for (const step of scenario.steps) {
    if (step.tx === undefined) putInSharedMemory(ledger, step.sharedMemoryPut as SharedMemoryPut[]);
    if (step.tx === undefined || step.message !== undefined) continue;
    const tx = txOf(step.tx);
    out.push({ tx, view });
    const next = createDiff(view);
    next.apply(tx, effectsOf(tx));
    view = next;
  }
  return out;
})();

const isSigned = (tx: Tx) => tx.credentials.some((one) => 'signatures' in one && one.signatures.length > 0);

/** A signature covers the whole transaction, so any change must be rejected with one of our error codes. */
function expectRejected(which: number, mutate: (original: Tx) => Tx): void {
  const { tx: original, view } = accepted[which] as { tx: Tx; view: View };
  try {
    const tx = mutate(original);
    if (tx.id === original.id) return;
    verify(tx, view, context);
    expect(isSigned(original)).toBe(false);
  } catch (error) {
    if (!(error instanceof TxError || error instanceof CodecError)) throw error;
    expect(error.fault.code).toMatch(/^(TX|SIGNATURE|CODEC)_[A-Z_]+$/);
  }
}

/** explainTx must come to the same result as the rules, with the first fault of the rules among its failed checks. */
function expectSameExplanation(tx: Tx, view: View): void {
  const checks = explainTx(tx, view, localRules, context);
  let code: string | undefined;
  try {
    verify(tx, view, context);
  } catch (error) {
    if (!(error instanceof TxError)) throw error;
    code = error.fault.code;
  }
  expect(checks.every(({ ok }) => ok === true)).toBe(code === undefined);
  if (code !== undefined) expect(checks.filter(({ ok }) => ok === false).map((check) => check.code)).toContain(code);
}

/** An index into `accepted`, so that the report of a failure is short. */
const anyAccepted = fc.nat(accepted.length - 1);

test('a transaction with one field changed is rejected with an error code', () => {
  fc.assert(
    fc.property(anyAccepted, fc.nat(), fc.nat(), fc.bigInt(0n, maxU64), (which, place, way, noise) =>
      expectRejected(which, (tx) => {
        const { unsigned, credentials } = structuredClone({ unsigned: tx.unsigned, credentials: tx.credentials });
        const slots = slotsOf({ unsigned, credentials });
        const slot = slots[place % slots.length] as Slot;
        slot.set(changed(slot.key, slot.value, way, noise));
        return makeTx(unsigned, credentials);
      }),
    ),
    { numRuns: 4000 },
  );
});

test('explainTx lists the fault of a changed transaction, and none of an accepted one', () => {
  for (const { tx, view } of accepted) expectSameExplanation(tx, view);
  fc.assert(
    fc.property(anyAccepted, fc.nat(), fc.nat(), fc.bigInt(0n, maxU64), (which, place, way, noise) => {
      const { tx, view } = accepted[which] as { tx: Tx; view: View };
      const { unsigned, credentials } = structuredClone({ unsigned: tx.unsigned, credentials: tx.credentials });
      const slots = slotsOf({ unsigned, credentials });
      const slot = slots[place % slots.length] as Slot;
      slot.set(changed(slot.key, slot.value, way, noise));
      const mutated = makeChanged(unsigned, credentials);
      if (mutated !== undefined) expectSameExplanation(mutated, view);
    }),
    { numRuns: 1000 },
  );
});

/** Returns undefined if the changed values cannot be encoded. */
function makeChanged(unsigned: Tx['unsigned'], credentials: Tx['credentials']): Tx | undefined {
  try {
    return parseTx(makeTx(unsigned, credentials).bytes);
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

test('a transaction with one byte changed, or with bytes cut off or appended, is rejected with an error code', () => {
  fc.assert(
    fc.property(anyAccepted, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(19), (which, at, flip, way) =>
      expectRejected(which, (tx) => {
        const bytes = Uint8Array.from(tx.bytes);
        bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ flip;
        if (way === 0) return parseTx(tx.bytes.subarray(0, at % bytes.length));
        return parseTx(way === 1 ? Buffer.concat([tx.bytes, bytes.subarray(0, flip)]) : bytes);
      }),
    ),
    { numRuns: 4000 },
  );
});

/** A field of a transaction that can be overwritten. */
type Slot = { readonly key: string; readonly value: unknown; readonly set: (value: unknown) => void };

/** Returns every number, ID, byte string and list in a value, except `kind`. */
function slotsOf(node: object): Slot[] {
  return Object.entries(node).flatMap(([key, value]): Slot[] => {
    if (key === 'kind') return [];
    const slot = { key, value, set: (other: unknown) => Reflect.set(node, key, other) };
    if (typeof value !== 'object' || value instanceof Uint8Array) return [slot];
    return Array.isArray(value) ? [slot, ...slotsOf(value)] : slotsOf(value as object);
  });
}

function changed(key: string, value: unknown, way: number, noise: bigint): unknown {
  if (typeof value === 'bigint') return pick(way, [0n, maxU64, (value + 1n) & maxU64, (value - 1n) & maxU64, noise]);
  if (typeof value === 'number')
    return key === 'denomination' ? way % 256 : pick(way, [0, (value ^ 1) >>> 0, (value + 1) >>> 0, 2 ** 32 - 1, way >>> 0]);
  if (typeof value === 'string')
    return pick(way, [value.replace(/./g, '0'), noise.toString(16).padStart(value.length, '0'), [...value].reverse().join('')]);
  if (value instanceof Uint8Array)
    return value.length === 65 ? value.toReversed() : pick(way, [new Uint8Array(way % 2000), value.subarray(1)]);
  const list = value as unknown[];
  return pick(way, [[], list.slice(1), [...list, ...list.slice(0, 1)], list.toReversed(), [...list, ...list]]);
}

const pick = <T>(way: number, choices: readonly T[]): T => choices[way % choices.length] as T;
