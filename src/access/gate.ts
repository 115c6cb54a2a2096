/**
 * Who may ask, and how much. The dispatcher asks once per request, before the route runs. Behind it: keys in a database, counts in memory
 * or in Redis.
 */
export type Gate = {
  readonly admit: (visit: Visit) => Promise<Admission> | Admission;
};

export type Visit = {
  readonly api: 'data' | 'metrics';
  /** The route's id, see api/route.ts; undefined if the path has no route. */
  readonly route: string | undefined;
  /** Health routes: no key is needed and nothing is counted. */
  readonly open: boolean;
  readonly key: string | undefined;
  /** Address of the caller: counted if there is no key. */
  readonly caller: string;
};

/** `headers`: rate limit headers for the answer, whatever it is. */
export type Admission =
  | { readonly admitted: true; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly admitted: false;
      readonly status: 401 | 403 | 429 | 503;
      readonly message: string;
      readonly headers: Readonly<Record<string, string>>;
    };
