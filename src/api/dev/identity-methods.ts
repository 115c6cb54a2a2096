import type { Impersonation } from '../../chain/lifecycle/impersonation.ts';
import type { AddressFormat } from '../rpc/address-format.ts';
import { method, methodTable } from '../rpc/method.ts';
import { bool, str } from '../rpc/params.ts';
import type { Json } from '../rpc/write-json.ts';
import { devParams } from './params.ts';

export type IdentityDeps = {
  readonly impersonation: Pick<Impersonation, 'add' | 'remove' | 'setAll' | 'isAll' | 'addresses'>;
  readonly addressFormat: Pick<AddressFormat, 'parse' | 'format'>;
};

const addressParam = devParams({ address: str });

/** Methods that let transactions spend outputs of an address without its signatures. */
export const identityMethods = methodTable<IdentityDeps>()({
  impersonate: method(
    addressParam,
    (deps, { address }) => {
      deps.impersonation.add(deps.addressFormat.parse(address));
      return formatImpersonation(deps);
    },
    { needsWriter: true },
  ),
  stopImpersonating: method(
    addressParam,
    (deps, { address }) => {
      deps.impersonation.remove(deps.addressFormat.parse(address));
      return formatImpersonation(deps);
    },
    { needsWriter: true },
  ),
  setAutoImpersonate: method(
    devParams({ enabled: bool }),
    (deps, { enabled }) => {
      deps.impersonation.setAll(enabled);
      return formatImpersonation(deps);
    },
    { needsWriter: true },
  ),
});

/** The most addresses that a result lists. */
const maxListed = 100;

const formatImpersonation = ({ impersonation, addressFormat }: IdentityDeps): Json => ({
  addresses: impersonation.addresses().slice(0, maxListed).map(addressFormat.format),
  total: impersonation.addresses().length,
  auto: impersonation.isAll(),
});
