import type { PageContext } from './page-context.ts';
import { callIfAllowed, type Source } from './source.ts';

/** Accounts that have a name: it is sent with every page. */
const maxNames = 50;

/**
 * Returns a function that reads the names of addresses of a developer's chain: those of its accounts once, as they stay the same while the program runs,
 * and the labels for every page. A label takes the place of an account's name.
 */
export function createAccountNames(): (source: Source) => Promise<PageContext['accountNames']> {
  let accounts: PageContext['accountNames'];
  return async (source) => {
    accounts ??= await loadNames(source);
    const labels = await loadLabels(source);
    return accounts && labels.length > 0 ? { ...accounts, ...indexNames(labels) } : accounts;
  };
}

async function loadNames(source: Source): Promise<PageContext['accountNames']> {
  const answer = await callIfAllowed(source, '/ext/dev', 'dev.accounts');
  return answer && indexNames(answer.accounts.slice(0, maxNames).map(({ index, address }) => ({ address, name: `account ${index}` })));
}

/** The labels of addresses; none for a caller who may not use `/ext/dev`. */
export const loadLabels = async (source: Source): Promise<readonly Named[]> =>
  (await callIfAllowed(source, '/ext/dev', 'dev.labels'))?.labels ?? [];

type Named = { readonly address: string; readonly name: string };

const indexNames = (all: readonly Named[]): NonNullable<PageContext['accountNames']> =>
  Object.fromEntries(all.map(({ address, name }) => [address.replace(/^[A-Za-z]+-/, ''), name]));
