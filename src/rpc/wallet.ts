import { idText } from '../bytes/id.ts';
import type { Tx } from '../tx/tx.ts';
import { parseTxText, txTextParams } from './avm.ts';
import { methods, row } from './method.ts';

export type WalletDeps = { readonly issueInTurn: (tx: Tx) => void | Promise<void> };

/** What is left of the wallet service: transactions that depend on each other, in order. Peer: vms/avm/wallet_service.go. */
export const wallet = methods<WalletDeps>()({
  issueTx: row(
    txTextParams,
    ({ issueInTurn }, params) => {
      const tx = parseTxText(params.tx, params.encoding);
      const told = issueInTurn(tx);
      const answer = { txID: idText(tx.id) };
      return told instanceof Promise ? told.then(() => answer) : answer;
    },
    { writer: true, deprecated: '1.9.12' },
  ),
});
