import type { Frame } from './layout.tsx';
import type { ViewName } from './views.tsx';

/** What the server sends to the browser with a page, so that the browser can render the same page. */
export type PagePayload = Frame & {
  readonly view: ViewName;
  readonly data: unknown;
  readonly title: string;
  /** The chain's clock when the page was made, in Unix seconds. */
  readonly now: number;
  /** The event stream's position before the page's data was read; undefined without a stream. */
  readonly position: string | undefined;
  /** `http://host:port` as the reader reached this server. */
  readonly origin: string;
};
