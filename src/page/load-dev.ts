import { type DevState, loadDevState } from './dev-state.ts';
import { callIfAllowed, type Source } from './source.ts';

export type Account = { readonly index: number; readonly address: string; readonly privateKey: string; readonly balance: string };
export type DevData = { readonly accounts: readonly Account[]; readonly state: DevState; readonly height: number };

/** Undefined if the caller may not use `/ext/dev`. */
export async function loadDevPanel(source: Source): Promise<DevData | undefined> {
  const [accounts, state, info] = await Promise.all([
    callIfAllowed<{ accounts: readonly Account[] }>(source, '/ext/dev', 'dev.accounts'),
    loadDevState(source),
    callIfAllowed<{ height: string }>(source, '/ext/dev', 'dev.nodeInfo'),
  ]);
  if (accounts === undefined || state === undefined || info === undefined) return undefined;
  return { accounts: accounts.accounts, state, height: Number(info.height) };
}
