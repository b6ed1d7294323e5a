import { Pin, Search, X } from "lucide-react";
import { useEffect, useState } from "react";
import { ENTRY_TYPES } from "../api/model";
import { Button } from "../design/Button";
import { TYPES } from "./EntryType";
import { type Filters, isFiltered } from "./filters";

/** Return a value only after typing has paused. */
const PAUSE = 250;

type BrainFiltersProps = { filters: Filters; onChange: (filters: Filters) => void };

const NONE: Filters = { text: "", type: "", tags: [], pinned: false, from: "", to: "" };

function SearchField({ filters, onChange }: BrainFiltersProps) {
  const [text, setText] = useState(filters.text);
  useEffect(() => setText(filters.text), [filters.text]);
  useEffect(() => {
    if (text === filters.text) return;
    const timer = window.setTimeout(() => onChange({ ...filters, text }), PAUSE);
    return () => window.clearTimeout(timer);
  }, [text, filters, onChange]);
  return (
    <div className="input-with-icon brain-search">
      <Search size={17} />
      <input
        className="input"
        type="search"
        aria-label="Search this brain"
        placeholder="Search this brain"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </div>
  );
}

export function BrainFilters({ filters, onChange }: BrainFiltersProps) {
  return (
    <search className="brain-filters">
      <SearchField filters={filters} onChange={onChange} />
      <fieldset className="brain-types">
        <legend className="hidden-text">Kind</legend>
        {ENTRY_TYPES.map((type) => (
          <button
            key={type}
            type="button"
            className="chip"
            aria-pressed={filters.type === type}
            onClick={() => onChange({ ...filters, type: filters.type === type ? "" : type })}
          >
            {TYPES[type].label}
          </button>
        ))}
        <button
          type="button"
          className="chip"
          aria-pressed={filters.pinned}
          onClick={() => onChange({ ...filters, pinned: !filters.pinned })}
        >
          <Pin size={13} /> Pinned
        </button>
      </fieldset>
      <div className="brain-days">
        <label>
          <span>From</span>
          <input
            className="input"
            type="date"
            value={filters.from}
            onChange={(event) => onChange({ ...filters, from: event.target.value })}
          />
        </label>
        <label>
          <span>To</span>
          <input
            className="input"
            type="date"
            value={filters.to}
            onChange={(event) => onChange({ ...filters, to: event.target.value })}
          />
        </label>
      </div>
      {filters.tags.map((tag) => (
        <button
          key={tag}
          type="button"
          className="chip"
          aria-pressed="true"
          aria-label={`No longer only ${tag}`}
          onClick={() =>
            onChange({ ...filters, tags: filters.tags.filter((each) => each !== tag) })
          }
        >
          {tag} <X size={13} />
        </button>
      ))}
      {isFiltered(filters) && (
        <Button look="quiet" small onClick={() => onChange(NONE)}>
          Show everything
        </Button>
      )}
    </search>
  );
}
