-- What a merge of events needs, so that neither the clocks of consumers nor compaction make a difference.
-- Made again from the topics, a row lacks the fingerprint if its record was deleted from `orders` meanwhile.
ALTER TABLE order_status
    -- Which acceptance the status belongs to; null in rows from before this column, where updated_at stands for it.
    ADD COLUMN acceptance timestamptz,
    -- Offset of the outcome that gave the status; -1 where that was the order's own record, or before this column.
    ADD COLUMN outcome_offset bigint NOT NULL DEFAULT -1;
