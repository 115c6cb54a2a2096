import type { OpenApi, OpenRpc } from '../reference/reference-types.ts';
import { read, readIfFound, type Source } from './source.ts';

export type ReferenceData = {
  readonly description: string;
  /** Whether routes of this port take an API key. */
  readonly keyState: 'none' | 'optional' | 'required';
  readonly hasRpc: boolean;
  /** The routes and methods as HTML. The browser gets it in the page only, not in the page's data. */
  readonly html: string;
};

/** Stands for `http://host:port` in the rendered HTML, which all readers share. */
const originMark = 'http://serac.invalid';

/** Loads and renders the reference once per port: the documents never change while the server runs. */
export function createReferenceLoader(): (source: Source, origin: string) => Promise<ReferenceData> {
  let loading: Promise<ReferenceData> | undefined;
  return async (source, origin) => {
    loading ??= load(source);
    const data = await loading.catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return { ...data, html: data.html.replaceAll(originMark, origin) };
  };
}

async function load(source: Source): Promise<ReferenceData> {
  const { renderReference } = await import('../pages/render-reference.ts');
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
