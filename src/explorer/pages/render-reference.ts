import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { ReferenceEntry, ReferenceGroup } from '../reference/reference-entries.ts';
import type { OpenApi, OpenRpc } from '../reference/reference-types.ts';
import { ReferenceIndex } from '../views/reference-index.tsx';
import { MethodPage } from '../views/reference-method.tsx';
import { RoutePage } from '../views/reference-operation.tsx';

/** Renders the list of methods and routes to HTML. */
export const renderIndex = (groups: readonly ReferenceGroup[]): string => renderToString(h(ReferenceIndex, { groups }));

/** Renders the description of one method or route to HTML. */
export const renderEntry = (
  { described }: ReferenceEntry,
  group: ReferenceGroup,
  openApi: OpenApi,
  openRpc: OpenRpc | undefined,
  origin: string,
): string =>
  described.kind === 'method'
    ? renderToString(h(MethodPage, { method: described.method, group, schemas: openRpc?.components.schemas ?? {}, origin }))
    : renderToString(h(RoutePage, { route: described, group, document: openApi, origin }));
