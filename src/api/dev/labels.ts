import type { Address } from '../../base/bytes/address.ts';
import { labelRows, maxLabels } from '../contract/dev-money-methods.ts';
import { findNameFault, maxLabelLength } from '../contract/label-name.ts';
import { implement } from '../rpc/method.ts';
import { looksLikeAddress } from './address-resolver.ts';
import type { DevWallet } from './dev-wallet.ts';
import { DevError } from './fault.ts';

/** The labels of a developer's chain, as the store has them. */
export type Labels = {
  /** By address. */
  readonly all: () => ReadonlyMap<Address, string>;
  /** The address with a label. */
  readonly find: (name: string) => Address | undefined;
  /** Replaces all labels. */
  readonly replace: (labels: ReadonlyMap<Address, string>) => void;
};

/** Names of addresses. */
export const labelMethods = implement<{
  readonly wallet: Pick<DevWallet, 'resolveAddress' | 'formatAddress'>;
  readonly labels: Labels;
  /** The human-readable part of this network's addresses. */
  readonly hrp: string;
  /** Called after a change. */
  readonly onChange: () => void;
}>()(labelRows, {
  label: {
    run: async ({ wallet, labels, hrp, onChange }, { address: text, name }) => {
      const address = wallet.resolveAddress(text);
      const changed = new Map(labels.all());
      if (name === '') changed.delete(address);
      else {
        checkLabelName(name, hrp);
        const owner = labels.find(name);
        if (owner !== undefined && owner !== address)
          throw badLabel(name, `is the label of ${wallet.formatAddress(owner)}; remove it there first, or choose another name`);
        changed.set(address, name);
        if (changed.size > maxLabels)
          throw new DevError(`there are ${maxLabels} labels, which is the most; remove some with an empty name`, {
            code: 'DEV_LIMIT',
            what: 'labels',
            max: maxLabels,
          });
      }
      labels.replace(changed);
      onChange();
      return { address: wallet.formatAddress(address), name };
    },
    needsWriter: true,
  },
  labels: {
    run: async ({ wallet, labels }) => ({
      labels: [...labels.all()]
        .map(([address, name]) => ({ address: wallet.formatAddress(address), name }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    }),
    needsWriter: true,
  },
});

/** Throws unless a text can be a label: it must be a name, and stand for nothing else. */
function checkLabelName(name: string, hrp: string): void {
  const reason = findLabelFault(name, hrp);
  if (reason !== undefined) throw badLabel(name, reason);
}

function findLabelFault(name: string, hrp: string): string | undefined {
  const fault = findNameFault(name);
  if (fault !== undefined) return fault;
  if (/^account \d+$/i.test(name)) return 'is what an account is called already';
  if (/^\d+$/.test(name)) return 'is a number, which stands for an account';
  if (looksLikeAddress(name, hrp)) return 'looks like an address';
  return undefined;
}

/** The labels of a state file by address; undefined if they are not valid. */
export function parseLabels(value: unknown, hrp: string): ReadonlyMap<Address, string> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  const isValid = ([address, name]: [string, unknown]): boolean =>
    /^[0-9a-f]{40}$/.test(address) && typeof name === 'string' && findLabelFault(name, hrp) === undefined;
  if (entries.length > maxLabels || !entries.every(isValid)) return undefined;
  const labels = new Map(entries as [Address, string][]);
  return new Set(labels.values()).size === labels.size ? labels : undefined;
}

const badLabel = (name: string, reason: string) =>
  new DevError(`the name ${JSON.stringify(name.slice(0, 2 * maxLabelLength))} ${reason}`, { code: 'DEV_BAD_LABEL', name, reason });
