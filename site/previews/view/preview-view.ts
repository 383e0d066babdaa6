import { html } from 'htm/preact';
import { previewTexts } from '../../../lib/pages/site/previews/sentences.ts';
import type { Preview } from '../preview.ts';
import { MapView } from './map-view.ts';
import { PictureView } from './picture-view.ts';
import { TableView } from './table-view.ts';

export function PreviewView({ preview, readMore }: { preview: Preview; readMore: (() => void) | undefined }) {
  const { map, picture, table, facts = [], notes } = preview;
  return html`
    ${map !== undefined && html`<${MapView} map=${map} />`}
    ${picture !== undefined && html`<${PictureView} picture=${picture} />`}
    <p class="soft notes">${notes.join(' ')}
      ${preview.hasMore && readMore !== undefined && html` <button type="button" class="quiet" onClick=${readMore}>${previewTexts.readMore}</button>`}
    </p>
    ${table !== undefined && table.columns.length > 0 && html`<${TableView} table=${table} />`}
    ${facts.length > 0 && html`<dl class="facts wide">${facts.map(([name, value], index) => html`<div key=${index}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`}
  `;
}
