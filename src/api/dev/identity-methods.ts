import type { Impersonation } from '../../chain/lifecycle/impersonation.ts';
import { identityRows } from '../contract/dev-chain-methods.ts';
import { implement } from '../rpc/method.ts';
import type { DevWallet } from './dev-wallet.ts';

type IdentityDeps = {
  readonly impersonation: Pick<Impersonation, 'add' | 'remove' | 'setAll' | 'isAll' | 'addresses'>;
  readonly wallet: Pick<DevWallet, 'resolveAddress' | 'formatAddress'>;
  /** Called after a change. */
  readonly onChange: () => void;
};

/** Methods that let transactions spend outputs of an address without its signatures. */
export const identityMethods = implement<IdentityDeps>()(identityRows, {
  impersonate: {
    run: async (deps, { address }) => {
      deps.impersonation.add(deps.wallet.resolveAddress(address));
      deps.onChange();
      return formatImpersonation(deps);
    },
    needsWriter: true,
  },
  stopImpersonating: {
    run: async (deps, { address }) => {
      deps.impersonation.remove(deps.wallet.resolveAddress(address));
      deps.onChange();
      return formatImpersonation(deps);
    },
    needsWriter: true,
  },
  setAutoImpersonate: {
    run: async (deps, { enabled }) => {
      deps.impersonation.setAll(enabled);
      deps.onChange();
      return formatImpersonation(deps);
    },
    needsWriter: true,
  },
});

/** The most addresses that a result lists. */
const maxListed = 100;

/** The addresses that a result lists. */
export const listImpersonated = ({ impersonation, wallet }: Pick<IdentityDeps, 'impersonation' | 'wallet'>): string[] =>
  impersonation.addresses().slice(0, maxListed).map(wallet.formatAddress);

const formatImpersonation = ({ impersonation, wallet }: IdentityDeps) => ({
  addresses: listImpersonated({ impersonation, wallet }),
  total: impersonation.addresses().length,
  auto: impersonation.isAll(),
});
