import type { PageContext } from './page-context.ts';
import { callIfAllowed, type Source } from './source.ts';

/** Accounts that have a name: it is sent with every page. */
const maxNames = 50;

/** Returns a function that reads the names of the accounts of a developer's chain once: they stay the same while the program runs. */
export function createAccountNames(): (source: Source) => Promise<PageContext['accountNames']> {
  let names: PageContext['accountNames'];
  return async (source) => {
    names ??= await loadNames(source);
    return names;
  };
}

async function loadNames(source: Source): Promise<PageContext['accountNames']> {
  const answer = await callIfAllowed(source, '/ext/dev', 'dev.accounts');
  const named = answer?.accounts.slice(0, maxNames).map(({ index, address }) => [address.replace(/^[A-Za-z]+-/, ''), `account ${index}`]);
  return named && Object.fromEntries(named);
}
