/** The OpenAPI document of `/api-json` and the OpenRPC document of `/openrpc-json`, as far as the API reference reads them. */

/** A JSON schema. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly oneOf?: readonly Schema[];
};

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
};

type Content = Readonly<Record<string, { readonly schema: Schema }>>;
export type ResponseDescription = { readonly $ref?: string; readonly description?: string; readonly content?: Content };

export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseDescription>>;
  /** Empty: needs no key. An empty object among them: the key is optional. */
  readonly security: readonly object[];
};

export type OpenApi = {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, ResponseDescription>>;
  };
};

export type RpcMethod = {
  readonly name: string;
  readonly tags: readonly { readonly name: string }[];
  /** The URL that serves the method. */
  readonly servers: readonly { readonly url: string }[];
  readonly summary?: string;
  readonly description?: string;
  readonly paramStructure: 'by-name' | 'by-position';
  readonly params: readonly { readonly name: string; readonly required?: boolean; readonly schema: Schema }[];
  readonly result: { readonly schema: Schema };
  readonly examples: readonly {
    readonly params: readonly { readonly name: string; readonly value: unknown }[];
    readonly result: { readonly name: string; readonly value: unknown };
  }[];
};

export type OpenRpc = {
  readonly methods: readonly RpcMethod[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** What the list of all methods and routes shows. */
export type ReferenceData = {
  readonly description: string;
  readonly hasRpc: boolean;
  /** The list as HTML. The browser gets it in the page only, not in the page's data. */
  readonly html: string;
};

/** What the page of one method or route shows. */
export type ReferenceEntryData = {
  readonly name: string;
  /** `RPC`, `GET`, `POST`, … */
  readonly verb: string;
  readonly summary: string;
  /** The group of the method or route in the list, and its anchor there. */
  readonly group: { readonly id: string; readonly name: string };
  /** Whether the form of this page takes a secret that stays in the tab. */
  readonly secret: 'none' | 'optional key' | 'required key' | 'token';
  /** The description, the examples and the form as HTML, as in `ReferenceData`. */
  readonly html: string;
};
