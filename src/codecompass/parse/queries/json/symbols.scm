(document (object (pair key: (string) @name) @symbol.key))
(document (object (pair key: (string) value: [(object) (array)] @body)))
(document (object (pair value: (object (pair key: (string) @name) @symbol.key))))
