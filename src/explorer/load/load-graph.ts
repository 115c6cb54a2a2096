import type { Tx, Utxo } from '../../api/client/data-types.ts';
import { type GraphData, graphTx, maxOpen, outputsPerTx } from './graph-data.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { readIfFound, type Source } from './source.ts';

/** Longest list of expanded transactions in the URL, in characters: an ID has up to 50. */
const maxOpenText = maxOpen * 60;

/** The graph around a transaction or an output, with the given transactions expanded. Undefined if nothing has this name. */
export async function loadGraph(
  source: Source,
  context: PageContext,
  name: string,
  openText: string | null,
): Promise<GraphData | undefined> {
  const base = chainPath(context);
  const readTx = (id: string): Promise<Tx | undefined> => readIfFound<Tx>(source, `${base}/transactions/${encodeURIComponent(id)}`);
  const found = await findRoot(source, context, name, readTx);
  if (found === undefined) return undefined;
  const { root, selected } = found;
  const wanted = [...new Set((openText ?? '').slice(0, maxOpenText).split(','))].filter((id) => id !== '' && id !== root.txHash);
  const loaded: (Tx | undefined)[] = [];
  for (const id of wanted.slice(0, maxOpen)) {
    // One per turn of the event loop: a transaction may have hundreds of outputs, and other requests wait meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 0));
    loaded.push(await readTx(id));
  }
  const byId = new Map([root, ...loaded.filter((tx) => tx !== undefined)].map((tx) => [tx.txHash, tx]));
  const reached = reachedFrom(root, byId);
  const isConnected = (utxo: Utxo): boolean =>
    utxo.utxoId === selected ||
    (reached.has(utxo.creationTxHash) && utxo.consumingTxHash !== undefined && reached.has(utxo.consumingTxHash));
  return {
    name,
    root: root.txHash,
    selected,
    open: [...reached].filter((id) => id !== root.txHash),
    txs: [...reached].map((id) => graphTx(byId.get(id) as Tx, isConnected, outputsPerTx(reached.size))),
  };
}

/** A name is that of a transaction, or of an output: then the root is the transaction of this chain that created or imported it. */
async function findRoot(
  source: Source,
  context: PageContext,
  name: string,
  readTx: (id: string) => Promise<Tx | undefined>,
): Promise<{ readonly root: Tx; readonly selected: string | undefined } | undefined> {
  const tx = name.includes(':') ? undefined : await readTx(name);
  if (tx !== undefined) return { root: tx, selected: undefined };
  const utxo = await readIfFound<Utxo>(source, `${chainPath(context)}/utxos/${encodeURIComponent(name)}`);
  if (utxo === undefined) return undefined;
  const created = utxo.createdOnChainId === context.chain.id ? await readTx(utxo.creationTxHash) : undefined;
  const root = created ?? (utxo.consumingTxHash === undefined ? undefined : await readTx(utxo.consumingTxHash));
  return root && { root, selected: utxo.utxoId };
}

/** Expanded transactions that are connected with the root: ancestors through ancestors, descendants through descendants. */
function reachedFrom(root: Tx, byId: ReadonlyMap<string, Tx>): ReadonlySet<string> {
  const reached = new Set([root.txHash]);
  const walk = (tx: Tx, next: (tx: Tx) => readonly (string | undefined)[]): void => {
    for (const id of next(tx)) {
      const found = id === undefined || reached.has(id) ? undefined : byId.get(id);
      if (found === undefined) continue;
      reached.add(found.txHash);
      walk(found, next);
    }
  };
  walk(root, ({ consumedUtxos }) => consumedUtxos.map(({ creationTxHash }) => creationTxHash));
  walk(root, ({ emittedUtxos }) => emittedUtxos.map(({ consumingTxHash }) => consumingTxHash));
  return reached;
}
