import { useMemo, useState } from "react";

export interface Column<Row> {
  key: keyof Row;
  title: string;
}

/** A table that sorts by the column whose title was clicked. */
export function DataTable<Row>({ rows, columns }: { rows: Row[]; columns: Column<Row>[] }) {
  const [sortKey, setSortKey] = useState<keyof Row | null>(null);
  const sorted = useMemo(() => sortRows(rows, sortKey), [rows, sortKey]);
  return <table>{sorted.length}{columns.map((c) => <th onClick={() => setSortKey(c.key)}>{c.title}</th>)}</table>;
}

export function sortRows<Row>(rows: Row[], key: keyof Row | null): Row[] {
  if (key === null) return rows;
  return [...rows].sort((a, b) => (a[key] < b[key] ? -1 : 1));
}
