import type { RouteRow } from '../contract/route.ts';
import type { ToolArguments } from './tool.ts';

/** The path and query of a GET request of a route with these arguments; those that the route does not have are left out. */
export function formatRouteRequest({ path, params }: RouteRow, given: ToolArguments): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const name of Object.keys(params)) {
    const value = given[name];
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(',') : String(value);
    if (path.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, () => encodeURIComponent(text));
    else query.set(name, text);
  }
  const search = query.toString();
  return search === '' ? filled : `${filled}?${search}`;
}
