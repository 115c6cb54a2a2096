import type { UtxoRef } from '../../avm/tx/input.ts';
import { parseTx, type Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { TxCheck } from '../../avm/verify/explain.ts';
import { parseHex, toHex } from '../../base/bytes/hex.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { rfc3339 } from '../../base/bytes/rfc3339.ts';
import type { JsonContext } from '../../base/codec/codec.ts';
import { faultOf } from '../../base/fault.ts';
import type { Chain } from '../../chain/lifecycle/chain.ts';
import type { Step } from '../../chain/lifecycle/step-table.ts';
import { maxTxs, type TxLifecycle } from '../../chain/lifecycle/tx-lifecycle.ts';
import { insightRows, type TxCheckJson } from '../contract/dev-chain-methods.ts';
import { implement } from '../rpc/method.ts';
import { type Json, quoteBigints } from '../rpc/write-json.ts';
import { decode } from './decode.ts';
import { type DevWallet, parseOutputID } from './dev-wallet.ts';
import { DevError } from './fault.ts';

type InsightDeps = {
  readonly chain: Pick<Chain, 'checkIssuable' | 'status'>;
  /** Lists every check of a transaction on the last accepted state. Recovers the signers in another thread if there are many. */
  readonly explain: (tx: Tx) => Promise<readonly TxCheck[]>;
  /** An output of the X-Chain, spent or unspent. */
  readonly findUtxo: (utxoID: Id) => Utxo | undefined;
  /** The transaction that spent an output of the X-Chain. */
  readonly consumerOf: (ref: UtxoRef) => Id | undefined;
  readonly wallet: Pick<DevWallet, 'asset'>;
  readonly lifecycle: Pick<TxLifecycle, 'stepsOf'>;
  readonly json: JsonContext;
};

/** Methods that show why and how something happened. */
export const insightMethods = implement<InsightDeps>()(insightRows, {
  explainTx: {
    run: (deps, params) => explainTx(parseTx(parseHex(params.encoding, params.tx)), deps),
    needsWriter: true,
  },
  decode: async ({ json }, { bytes }) => decode(bytes, json),
  getTxLifecycle: {
    run: async ({ chain, lifecycle }, { txID }) => {
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
    needsWriter: true,
  },
  getUTXO: async (deps, { utxoID }) => {
    const utxo = deps.findUtxo(parseOutputID(utxoID));
    if (utxo === undefined)
      throw new DevError(
        `there is no output ${utxoID} on the X-Chain; avm.getUTXOs lists those of an address, dev.listAtomic those between two chains`,
        { code: 'DEV_UNKNOWN_OUTPUT', utxoID },
      );
    return describeUtxo(utxo, deps);
  },
  getAsset: async ({ wallet }, { assetID }) => {
    const { id, symbol, denomination, name } = wallet.asset(assetID);
    return { assetID: idText(id), name, symbol, denomination };
  },
});

function describeUtxo(utxo: Utxo, { consumerOf, wallet, json }: InsightDeps) {
  const { id, txID, outputIndex, assetID, output } = utxo;
  const spentBy = consumerOf(utxo);
  const { symbol, denomination } = wallet.asset(idText(assetID));
  return {
    utxoID: idText(id),
    txID: idText(txID),
    outputIndex,
    type: output.kind,
    assetID: idText(assetID),
    symbol,
    denomination,
    amount: 'amount' in output ? output.amount.toString() : undefined,
    groupID: 'groupID' in output ? output.groupID : undefined,
    payload: 'payload' in output ? `0x${toHex(output.payload)}` : undefined,
    addresses: output.addresses.map(json.address),
    threshold: output.threshold,
    locktime: output.locktime.toString(),
    spent: spentBy !== undefined,
    spentBy: spentBy && idText(spentBy),
  };
}

function formatStep({ step, time, detail }: Step) {
  const shown = { step, time: rfc3339(time) };
  if (detail === undefined) return shown;
  if ('height' in detail) return { ...shown, height: String(detail.height), blockID: idText(detail.id) };
  return { ...shown, reason: detail.message, data: quoteBigints(detail.fault as Json) };
}

/** The mempool is checked last, and only if all other checks pass, as when a transaction is issued. */
async function explainTx(tx: Tx, { chain, explain }: InsightDeps) {
  const checks = await explain(tx);
  const isValid = checks.every(({ ok }) => ok === true);
  const refusal = faultOf(() => chain.checkIssuable(tx));
  const mempool: TxCheck = isValid
    ? { rule: 'mempool', ok: refusal === undefined, message: refusal?.message, ...refusal?.fault }
    : { rule: 'mempool', ok: null };
  return {
    txID: idText(tx.id),
    type: tx.unsigned.kind,
    accepted: refusal === undefined,
    checks: quoteBigints([...checks, mempool] as Json) as readonly TxCheckJson[],
  };
}
