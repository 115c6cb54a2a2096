import { idText } from '../../base/bytes/id.ts';
import type { TxIssuer } from '../../chain/lifecycle/tx-issuer.ts';
import { walletRows } from '../contract/avm-methods.ts';
import { parseTxText } from './avm.ts';
import { implement } from './method.ts';

/** The wallet service: issues transactions that depend on each other, in order. AvalancheGo: vms/avm/wallet_service.go. */
export const walletMethods = implement<Pick<TxIssuer, 'queueWalletTx'>>()(walletRows, {
  issueTx: {
    run: async ({ queueWalletTx }, params) => {
      const tx = parseTxText(params.tx, params.encoding);
      await queueWalletTx(tx);
      return { txID: idText(tx.id) };
    },
    needsWriter: true,
  },
});
