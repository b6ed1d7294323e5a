"""The tests that the pages show pass."""

from docs_src.how_to.testing_a_server import (
    test_nothing_is_ordered_against_their_will as test_nothing_is_ordered_against_their_will,
)
from docs_src.how_to.testing_a_server import (
    test_the_person_says_how_many as test_the_person_says_how_many,
)
from docs_src.how_to.testing_a_server import (
    test_wrong_arguments_are_told_to_the_model as test_wrong_arguments_are_told_to_the_model,
)
from docs_src.tutorial.kitchen_test import (
    test_a_suggestion_heeds_allergies as test_a_suggestion_heeds_allergies,
)
from docs_src.tutorial.kitchen_test import (
    test_baking_says_how_far_it_is as test_baking_says_how_far_it_is,
)
from docs_src.tutorial.kitchen_test import (
    test_nothing_is_suggested_after_a_no as test_nothing_is_suggested_after_a_no,
)
from docs_src.tutorial.kitchen_test import (
    test_the_model_names_a_dish as test_the_model_names_a_dish,
)
