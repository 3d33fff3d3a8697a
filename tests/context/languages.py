"""One small file for each language: `wanted` uses `used`; nobody uses `other`."""

LANGUAGE_FILES = {
    "a.py": """
        import json
        import os

        used = 3
        other = 4

        class Box:
            def first_other(self):
                return os.name

            def wanted(self):
                return json.dumps(used)
    """,
    "a.js": """
        const json = require("json");
        const other = 4;
        const used = 3;
        class Box {
          second() { return 1; }
          wanted() { return json.dumps(used); }
        }
    """,
    "a.tsx": """
        const other = 4;
        const used = 3;
        export function wanted() {
          return <b>{used}</b>;
        }
    """,
    "a.go": """
        package box

        const used = 3
        const other = 4

        func wanted() int {
            return used
        }
    """,
    "a.rs": """
        const USED_OTHER: u32 = 1;
        fn used() -> u32 { 3 }
        struct Box { size: u32 }
        impl Box {
            fn second(&self) -> u32 { USED_OTHER }
            fn wanted(&self) -> u32 { used() + self.size }
        }
    """.replace("OTHER", "UP").replace("second", "another"),
    "A.java": """
        package a;

        class A {
            static int used = 3;
            static int other = 4;

            int second() {
                return other;
            }

            int wanted() {
                return used;
            }
        }
    """,
    "a.c": """
        #define other 4
        static int used(void) { return 3; }
        static int second(void) { return 4; }
        int wanted(void) {
            return used();
        }
    """,
    "a.cpp": """
        namespace box {
        class Box {
         public:
          int used() { return 3; }
          int other() { return 4; }
          int wanted() { return used(); }
        };
        }
    """,
    "A.cs": """
        namespace A
        {
            class Box
            {
                int used = 3;
                int other = 4;

                int wanted()
                {
                    return used;
                }
            }
        }
    """,
    "a.rb": """
        class Box
          USED = 3

          def other
            4
          end

          def used
            USED
          end

          def wanted
            used
          end
        end
    """,
    "a.php": """
        <?php
        class Box {
            private $other = 4;

            function used() {
                return 3;
            }

            function wanted() {
                return $this->used();
            }
        }
    """,
    "a.kt": """
        val used = 3
        val other = 4

        class Box {
            fun second(): Int {
                return other
            }

            fun wanted(): Int {
                return used
            }
        }
    """,
    "a.swift": """
        let used = 3
        let other = 4
        func wanted() -> Int {
            return used
        }
    """,
    "a.lua": """
        local used = 3
        local other = 4
        function wanted()
          return used
        end
    """,
}
