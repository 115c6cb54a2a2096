import { parseHex } from '../bytes/hex.ts';
import { idText } from '../bytes/id.ts';
import { rfc3339 } from '../bytes/rfc3339.ts';
import type { Chain } from '../chain/chain.ts';
import { type LifecycleStep, maxTxs, type TxLifecycle } from '../chain/tx-lifecycle.ts';
import type { JsonContext } from '../codec/codec.ts';
import { Fault } from '../fault.ts';
import { method, methodTable } from '../rpc/method.ts';
import { encoding, idParam, longStr, noParams, obj } from '../rpc/params.ts';
import { type Json, quoteBigints } from '../rpc/write-json.ts';
import { parseTx, type Tx } from '../tx/tx.ts';
import type { TxCheck } from '../verify/explain.ts';
import { decode } from './decode.ts';
import { DevError } from './fault.ts';

export type InsightDeps = {
  readonly chain: Pick<Chain, 'checkIssuable' | 'status'>;
  /** Lists every check of a transaction on the last accepted state. */
  readonly explain: (tx: Tx) => readonly TxCheck[];
  /** Recovers the signers in another thread if there are many. */
  readonly prepare: (tx: Tx) => Promise<void> | undefined;
  readonly lifecycle: Pick<TxLifecycle, 'stepsOf'>;
  readonly json: JsonContext;
  readonly nodeInfo: () => Json;
};

/** Methods that show why and how something happened. */
export const insightMethods = methodTable<InsightDeps>()({
  explainTx: method(
    obj({ tx: longStr, encoding }),
    async (deps, params) => {
      const tx = parseTx(parseHex(params.encoding, params.tx));
      await deps.prepare(tx);
      return explainTx(tx, deps);
    },
    { needsWriter: true },
  ),
  decode: method(obj({ bytes: longStr }), ({ json }, { bytes }) => decode(bytes, json)),
  getTxLifecycle: method(
    obj({ txID: idParam }),
    ({ chain, lifecycle }, { txID }) => {
      const steps = lifecycle.stepsOf(txID);
      const status = chain.status(txID);
      if (steps === undefined && status === 'Unknown')
        throw new DevError(`the transaction ${idText(txID)} is not among the last ${maxTxs} that this node has seen`, {
          code: 'DEV_UNKNOWN_TX',
          txID: idText(txID),
          max: maxTxs,
        });
      return { txID: idText(txID), status, steps: steps?.map(formatStep) ?? [] };
    },
    { needsWriter: true },
  ),
  nodeInfo: method(noParams, ({ nodeInfo }) => nodeInfo(), { needsWriter: true }),
});

function formatStep(one: LifecycleStep): Json {
  const shown = { step: one.step, time: rfc3339(one.time) };
  if ('block' in one) return { ...shown, height: String(one.block.height), blockID: idText(one.block.id) };
  if (one.reason === undefined) return shown;
  return { ...shown, reason: one.reason.message, data: quoteBigints(one.reason.fault as Json) };
}

/** The mempool is checked last, and only if all other checks pass, as when a transaction is issued. */
function explainTx(tx: Tx, { chain, explain }: InsightDeps): Json {
  const checks = explain(tx);
  const isValid = checks.every(({ ok }) => ok === true);
  const refusal = refusalOf(() => chain.checkIssuable(tx));
  const mempool: TxCheck = isValid
    ? { rule: 'mempool', ok: refusal === undefined, ...(refusal && { message: refusal.message, ...refusal.fault }) }
    : { rule: 'mempool', ok: null };
  return {
    txID: idText(tx.id),
    type: tx.unsigned.kind,
    accepted: refusal === undefined,
    checks: quoteBigints([...checks, mempool] as Json),
  };
}

function refusalOf(check: () => void) {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error as Fault<{ readonly code: string }>;
    throw error;
  }
}
