import { openOnUse } from '../../base/cache/memoize.ts';
import { read, readIfFound, type Source } from '../load/source.ts';
import type { OpenApi, OpenRpc, ReferenceData } from '../reference/reference-types.ts';

/** Stands for `http://host:port` in the rendered HTML, which all readers share. */
const originMark = 'http://serac.invalid';

/** Loads and renders the reference once per port: the documents never change while the server runs. */
export function createReferenceLoader(): (source: Source, origin: string) => Promise<ReferenceData> {
  const loaded = openOnUse(load);
  return async (source, origin) => {
    const data = await loaded.get(source);
    return { ...data, html: data.html.replaceAll(originMark, origin) };
  };
}

async function load(source: Source): Promise<ReferenceData> {
  const { renderReference } = await import('./render-reference.ts');
  const [openApi, openRpc] = await Promise.all([read<OpenApi>(source, '/api-json'), readIfFound<OpenRpc>(source, '/openrpc-json')]);
  const security = Object.values(openApi.paths).flatMap((methods) => Object.values(methods).map((operation) => operation.security));
  const keyed = security.filter((one) => one.length > 0);
  const isOptional = keyed.some((one) => one.some((scheme) => Object.keys(scheme).length === 0));
  return {
    description: openApi.info.description,
    keyState: keyed.length === 0 ? 'none' : isOptional ? 'optional' : 'required',
    hasRpc: openRpc !== undefined,
    html: renderReference({ openApi, openRpc, origin: originMark }),
  };
}
