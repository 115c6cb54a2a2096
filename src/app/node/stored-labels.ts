import type { Labels } from '../../api/dev/labels.ts';
import type { Address } from '../../base/bytes/address.ts';
import { cacheByVersion } from '../../base/cache/memoize.ts';
import type { RevertiblePart } from '../../ledger/snapshot/snapshots.ts';
import type { Store } from '../../ledger/store/store.ts';

const noLabels = '{}';

/**
 * The labels of a developer's chain, in one row of the store: JSON with the names by address. A revert does not restore that row, so labels stay. Every
 * process of the node reads it again after a commit.
 */
export function openStoredLabels(store: Store): Labels {
  const select = store.db.prepare<{ value: string }>(`SELECT value FROM meta WHERE name = 'labels'`);
  let known = { text: noLabels, ...indexLabels(noLabels) };
  const read = cacheByVersion(() => {
    const text = select.get()?.value ?? noLabels;
    if (text !== known.text) known = { text, ...indexLabels(text) };
    return known;
  }, store.version);
  return {
    all: () => read().byAddress,
    find: (name) => read().byName.get(name),
    replace: (labels) =>
      store.write(() => {
        if (labels.size === 0) store.db.exec(`DELETE FROM meta WHERE name = 'labels'`);
        else store.db.prepare(`INSERT OR REPLACE INTO meta VALUES ('labels', ?)`).run(JSON.stringify(Object.fromEntries(labels)));
      }),
  };
}

/** Labels as part of snapshots: they stay at a revert and end with a reset. */
export const createLabelsPart = ({ replace }: Labels): RevertiblePart => ({ name: 'labels', resetRows: () => replace(new Map()) });

function indexLabels(text: string) {
  const byAddress = new Map(Object.entries(JSON.parse(text)) as [Address, string][]);
  return { byAddress, byName: new Map([...byAddress].map(([address, name]) => [name, address])) };
}
