import { type ComponentProps, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { ReferenceBody } from '../views/reference-body.tsx';

/** Renders the routes and methods of the API reference to HTML. */
export const renderReference = (props: ComponentProps<typeof ReferenceBody>): string => renderToString(h(ReferenceBody, props));
