import type { Tx } from '../../avm/tx/tx.ts';
import { idText } from '../../base/bytes/id.ts';
import { walletRows } from '../contract/avm-methods.ts';
import { parseTxText } from './avm.ts';
import { implement } from './method.ts';

type WalletDeps = { readonly queueWalletTx: (tx: Tx) => void | Promise<void> };

/** The wallet service: issues transactions that depend on each other, in order. AvalancheGo: vms/avm/wallet_service.go. */
export const walletMethods = implement<WalletDeps>()(walletRows, {
  issueTx: {
    run: ({ queueWalletTx }, params) => {
      const tx = parseTxText(params.tx, params.encoding);
      const issued = queueWalletTx(tx);
      const result = { txID: idText(tx.id) };
      return issued instanceof Promise ? issued.then(() => result) : result;
    },
    needsWriter: true,
  },
});
