import { previewTexts } from '../../../lib/pages/site/previews/sentences.ts';
import type { Preview } from '../preview.ts';
import { MapView } from './map-view.tsx';
import { PictureView } from './picture-view.tsx';
import { TableView } from './table-view.tsx';

export function PreviewView({ preview, readMore }: { preview: Preview; readMore: (() => void) | undefined }) {
  const { map, picture, table, facts = [], notes } = preview;
  return (
    <>
      {map !== undefined && <MapView map={map} />}
      {picture !== undefined && <PictureView picture={picture} />}
      <p class="soft notes">
        {notes.join(' ')}
        {preview.hasMore && readMore !== undefined && (
          <>
            {' '}
            <button type="button" class="quiet" onClick={readMore}>
              {previewTexts.readMore}
            </button>
          </>
        )}
      </p>
      {table !== undefined && table.columns.length > 0 && <TableView table={table} />}
      {facts.length > 0 && (
        <dl class="facts wide">
          {facts.map(([name, value], index) => (
            <div key={index}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
