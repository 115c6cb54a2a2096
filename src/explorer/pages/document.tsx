import { renderToString } from 'preact-render-to-string';
import type { Pause } from '../../base/timing/long-work.ts';
import { App } from '../views/app.tsx';
import type { PagePayload } from '../views/page-payload.ts';
import { viewOf } from '../views/views.tsx';
import type { PageAssets } from './page-assets.ts';
import { renderInParts } from './render-in-parts.tsx';

/** Renders a page as an HTML document, in time slices, with its data for the browser. `sentData` replaces `data` there. */
export async function renderDocument(
  payload: PagePayload,
  { urls, preloads }: PageAssets,
  pause: Pause,
  sentData: unknown = payload.data,
): Promise<string> {
  const app = await renderInParts(<App payload={payload} View={viewOf(payload.view)} />, pause);
  const head = renderToString(
    <>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{`${payload.title} · Serac`}</title>
      <meta
        name="description"
        content={`${payload.title}: ${payload.context.chain.title} of the network ${payload.context.network.name}`}
      />
      <link rel="icon" href={urls['mark.svg']} />
      <link rel="stylesheet" href={urls['page.css']} />
      {/* Nothing is drawn before the page's data, which comes after the page: columns and buttons would move while the rest arrives. */}
      <link rel="expect" href="#payload" {...{ blocking: 'render' }} />
      {/* The page is whole without its scripts: on a slow network the style sheet comes before them. */}
      {preloads.map((url) => (
        <link rel="modulepreload" href={url} fetchpriority="low" />
      ))}
      <script src={urls['theme.js']} />
      <script type="module" src={urls['page.js']} data-worker={urls['worker.js']} />
      {(payload.view === 'api' || payload.view === 'api-entry') && <script type="module" src={urls['reference.js']} />}
    </>,
  );
  return `<!doctype html>\n<html lang="en"><head>${head}</head><body><div id="app">${app}</div><script type="application/json" id="payload">${scriptJson({ ...payload, data: sentData })}</script></body></html>\n`;
}

/** JSON that can stand in a script element: it contains no `<`. */
const scriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
