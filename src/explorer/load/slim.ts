import type { Tx, Utxo } from '../../api/contract/answers.ts';

/** The properties of an output that pages show. Its bytes and signatures are left out: the data of a page is sent to the browser. */
export const slimUtxo = (utxo: Utxo): Utxo => {
  const { utxoBytes: _bytes, credentials: _credentials, ...rest } = utxo;
  return rest;
};

/** Keeps the signatures of the inputs. */
export const signedTx = (tx: Tx): Tx => ({
  ...tx,
  consumedUtxos: tx.consumedUtxos.map((utxo) => ({ ...slimUtxo(utxo), credentials: utxo.credentials })),
  emittedUtxos: tx.emittedUtxos.map(slimUtxo),
});

export const slimTx = (tx: Tx): Tx => ({
  ...tx,
  consumedUtxos: tx.consumedUtxos.map(slimUtxo),
  emittedUtxos: tx.emittedUtxos.map(slimUtxo),
});

/** An output on the canvas of an address: there are hundreds, so only what is drawn is sent. */
export type CanvasOutput = Pick<Utxo, 'utxoId' | 'timestamp' | 'threshold' | 'locktime' | 'asset' | 'groupId'> & {
  readonly owners: number;
};

export const canvasOutput = ({ utxoId, timestamp, threshold, locktime, addresses, groupId, asset }: Utxo): CanvasOutput => {
  const shown = { utxoId, timestamp, threshold, locktime, asset, owners: addresses.length };
  return groupId === undefined ? shown : { ...shown, groupId };
};
