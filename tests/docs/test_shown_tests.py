"""The tests that the pages show pass."""

from docs_src.how_to.testing_a_server import (
    test_invalid_arguments_are_reported as test_invalid_arguments_are_reported,
)
from docs_src.how_to.testing_a_server import (
    test_nothing_is_ordered_if_the_user_declines as test_nothing_is_ordered_if_the_user_declines,
)
from docs_src.how_to.testing_a_server import (
    test_the_user_chooses_the_quantity as test_the_user_chooses_the_quantity,
)
from docs_src.tutorial.kitchen_test import (
    test_baking_reports_progress as test_baking_reports_progress,
)
from docs_src.tutorial.kitchen_test import (
    test_declined_question_is_an_error as test_declined_question_is_an_error,
)
from docs_src.tutorial.kitchen_test import (
    test_model_names_dish as test_model_names_dish,
)
from docs_src.tutorial.kitchen_test import (
    test_suggestion_avoids_allergens as test_suggestion_avoids_allergens,
)
