import type { DevAccess } from '../../api/http/dev-access.ts';
import type { HttpRoute } from '../../api/http/router.ts';
import type { Setting } from '../config/config.ts';

export const settingsPath = '/ext/settings';

/**
 * The value of every flag of this process, and where it comes from. Secrets are left out before they get here (cli/config-report.ts). Values
 * contain paths of this machine, so that the route has the callers of `/ext/dev`.
 */
function createSettingsRoute(settings: readonly Setting[], access: DevAccess): readonly [path: string, route: HttpRoute] {
  const rows = settings.map(({ flag, value, source }) => ({ flag, value: value ?? null, source }));
  const response = {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ settings: rows }),
  };
  const wrongMethod = { status: 405, headers: { 'content-type': 'text/plain; charset=utf-8', allow: 'GET' }, body: 'use GET\n' };
  return [settingsPath, { ...access, handler: async ({ method }) => (method === 'GET' || method === 'HEAD' ? response : wrongMethod) }];
}

/** The route of a process, or none: with `--public-api`, with `--strict`, and if the configuration was not made from flags. */
export const settingsRoutes = (
  { settings, publicApi, strict }: { readonly settings?: readonly Setting[]; readonly publicApi: boolean; readonly strict: boolean },
  access: DevAccess,
): (readonly [path: string, route: HttpRoute])[] =>
  settings === undefined || publicApi || strict ? [] : [createSettingsRoute(settings, access)];
